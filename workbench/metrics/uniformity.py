"""Uniformity: how evenly the vectors are spread over the sphere."""

import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.core.method import Knob, Method
from workbench.core.rows import unit_rows
from workbench.core.seeds import numpy_rng
from workbench.metrics._rows import BLOCK_ROWS, blocks, check_vectors

EXACT_ROWS = 20_000
"""Uniformity of more rows is sampled, unless all pairs are asked for."""
_GROUPS, _GROUP_ROWS = 16, 64
EXACT = (
    f"Uniformity over all pairs of texts; otherwise it is sampled above {EXACT_ROWS:,} texts, with a standard error."
)


class Estimate(NamedTuple):
    """A uniformity, and its standard error where it was sampled."""

    value: float
    error: float | None
    """None for the value over all pairs."""


def uniformity(
    vectors: NDArray[np.floating],
    *,
    scale: Annotated[float, Knob(0.5, 10.0, 0.5, "Sharpness of the kernel: higher counts only nearer texts.")] = 2.0,
    exact: Annotated[bool, Knob(help=EXACT)] = False,
    block: int = BLOCK_ROWS,
) -> float:
    """Log of the mean Gaussian kernel over all unordered pairs of different rows; lower is better.

    In -8..0 for scale 2; 0 is full collapse, and an even spread in 768 dimensions gives about -4. Repeated texts are repeated
    rows and count: remove them first if they should not. Above 20,000 rows it is the mean over a sample of the pairs, see
    `estimate`. `block` limits memory and does not change the result.

    Prefer it over `mean_cosine` to measure the whole distribution on the sphere and for figures beside `alignment`; over all
    pairs it takes time quadratic in the rows.

    Raises:
        BadData: fewer than two rows, or a number that is not finite.

    >>> uniformity(np.array([[1.0, 0.0], [-1.0, 0.0]]))  # log(exp(-2 * 2**2))
    -8.0
    """
    return estimate(vectors, scale=scale, exact=exact, block=block).value


def estimate(
    vectors: NDArray[np.floating], *, scale: float = 2.0, exact: bool = False, block: int = BLOCK_ROWS
) -> Estimate:
    """`uniformity` and its standard error: over all pairs up to 20,000 rows or if `exact`, else over about 1,024 per row.

    The rows are put in a random order that depends only on their number, and in groups of 64 on a circle; each row is
    paired with those of the next 16 groups. Every row thus counts equally often, which removes most of the error of a
    random subset of rows. The standard error comes from the 16 means, one per distance on the circle. They are samples of
    the same kernels, so the value differs from that over all pairs by more than twice the error in about 1 case of 20.

    Raises:
        BadData: fewer than two rows, or a number that is not finite.

    >>> estimate(np.array([[1.0, 0.0], [0.0, 1.0]]))  # log(exp(-2 * 2))
    Estimate(value=-4.0, error=None)
    """
    rows = unit_rows(check_vectors(vectors, "uniformity"))
    if exact or len(rows) <= EXACT_ROWS:
        return Estimate(math.log(_mean_over_all(rows, scale, block)), None)
    means = _means_over_sample(rows, scale)
    mean = float(means.mean())
    return Estimate(math.log(mean), float(means.std(ddof=1)) / math.sqrt(len(means)) / mean)


def _mean_over_all(rows: NDArray[np.floating], scale: float, block: int) -> float:
    lengths = np.einsum("ij,ij->i", rows, rows)
    total = 0.0  # kernels are in exp(-40)..1, so a plain fp64 sum neither over- nor underflows
    for first in blocks(len(rows), block):
        for second in blocks(len(rows), block):
            if second.start < first.start:
                continue
            kernel = _kernel(rows[first], rows[second], lengths[first], lengths[second], scale)
            if first == second:
                total += float(np.triu(kernel, 1).sum(dtype=np.float64))
            else:
                total += float(kernel.sum(dtype=np.float64))
    return total / (len(rows) * (len(rows) - 1) / 2)


def _means_over_sample(rows: NDArray[np.floating], scale: float) -> NDArray[np.float64]:
    """The mean kernel of rows that are 1, 2, ..., 16 groups apart on the circle."""
    count = len(rows)
    order = numpy_rng("uniformity", count).permutation(count)
    starts = np.linspace(0, count, count // _GROUP_ROWS + 1).astype(np.int64)  # groups of 64 rows, some of 65
    circle = rows[np.concatenate([order, order[: starts[_GROUPS]]])]
    starts = np.concatenate([starts, count + starts[1 : _GROUPS + 1]])
    lengths = np.einsum("ij,ij->i", circle, circle)
    totals, pairs = np.zeros(_GROUPS), np.zeros(_GROUPS)
    for group in range(len(starts) - 1 - _GROUPS):
        bounds = starts[group + 1 : group + _GROUPS + 2]
        first, others = slice(starts[group], starts[group + 1]), slice(bounds[0], bounds[-1])
        kernel = _kernel(circle[first], circle[others], lengths[first], lengths[others], scale)
        totals += np.add.reduceat(kernel.sum(axis=0, dtype=np.float64), bounds[:-1] - bounds[0])
        pairs += len(kernel) * np.diff(bounds)
    return totals / pairs


def _kernel(
    a: NDArray[np.floating],
    b: NDArray[np.floating],
    lengths_a: NDArray[np.floating],
    lengths_b: NDArray[np.floating],
    scale: float,
) -> NDArray[np.floating]:
    """The Gaussian kernel of each row of `a` with each of `b`, from their squared lengths."""
    kernel = a @ b.T
    kernel *= -2
    kernel += lengths_a[:, None]
    kernel += lengths_b
    np.maximum(kernel, 0, out=kernel)
    kernel *= -scale
    np.exp(kernel, out=kernel)
    return kernel


METHOD = Method(
    uniformity,
    title="Uniformity",
    source="Wang and Isola 2020, arXiv:2005.10242",
    formula=r"\ell_{\mathrm{uniform}} = \log \mathbb{E}_{x \neq y}\, e^{-t \lVert f(x) - f(y) \rVert^2}",
    tags={"direction": "lower is better", "inputs": "vectors"},
)
