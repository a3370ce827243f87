"""Cosine overlap: how far the cosines of positives and of random pairs can be told apart."""

from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.statistics.separation import auc

if TYPE_CHECKING:
    from pandas import DataFrame


def cosine_overlap(
    positives: ArrayLike,
    random: ArrayLike,
    *,
    points: Annotated[int, Knob(64, 4096, 64, "Points at which the densities are computed.")] = 512,
) -> "DataFrame":
    """The densities of both at the same points: cosine, positives, random.

    They are Gaussian kernel estimates with Scott's bandwidth. attrs: `overlap`, the area below both (1: the same distribution,
    0: no value in common); `auc`, the probability that a positive has a higher cosine than a random pair, ties counted half;
    `positives` and `random`, the numbers; `mean_positives` and `mean_random`. A density of fewer than two different values
    does not exist: then the columns are NaN and `overlap` is None.

    Prefer it over `gold_buckets` where only positives are known, and to see whether random pairs are as near as they are.

    Raises:
        BadData: a number that is not finite.

    >>> table = cosine_overlap([0.8, 0.9, 1.0], [-0.1, 0.0, 0.1])
    >>> round(table.attrs["overlap"], 3), table.attrs["auc"]
    (0.0, 1.0)
    """
    from pandas import DataFrame

    samples = [np.asarray(values, np.float64).ravel() for values in (positives, random)]
    if not all(np.isfinite(sample).all() for sample in samples):
        raise BadData("A cosine is NaN or infinite.", way_out="Use an earlier checkpoint.")
    known = all(len(sample) > 1 and sample.std() > 1e-9 for sample in samples)
    grid, densities = np.linspace(-1, 1, points), [np.full(points, np.nan)] * 2
    overlap = None
    if known:
        grid, densities = _densities(samples, points)
        overlap = float(np.trapezoid(np.minimum(*densities), grid))
    table = DataFrame({"cosine": grid, "positives": densities[0], "random": densities[1]})
    table.attrs = {
        "overlap": overlap,
        "auc": auc(*samples),
        **{name: len(sample) for name, sample in zip(("positives", "random"), samples, strict=True)},
        **{
            f"mean_{name}": float(sample.mean()) if len(sample) else None
            for name, sample in zip(("positives", "random"), samples, strict=True)
        },
    }
    return table


def _densities(
    samples: list[NDArray[np.float64]], points: int
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """Both at points that reach three bandwidths beyond all values."""
    from scipy.stats import gaussian_kde

    kernels = [gaussian_kde(sample) for sample in samples]
    margin = 3 * max(float(np.sqrt(kernel.covariance[0, 0])) for kernel in kernels)
    low, high = min(map(np.min, samples)), max(map(np.max, samples))
    grid = np.linspace(low - margin, high + margin, points)
    return grid, [kernel(grid) for kernel in kernels]


METHOD = Method(
    cosine_overlap,
    title="Overlap of positives and random pairs",
    source="Overlap coefficient: Weitzman 1970, by kernel densities: Schmid and Schmidt 2006",
    formula=r"\int \min\big(p_{\mathrm{pos}}(c),\ p_{\mathrm{random}}(c)\big)\,dc",
)
