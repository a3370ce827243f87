"""Spectrum: how the squared length of the vectors is shared by directions."""

from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from workbench.core.method import Knob, Method
from workbench.metrics import effective_rank, participation_ratio, singular_values, top_component_share

if TYPE_CHECKING:
    from pandas import DataFrame

MEASURES = {
    metric.METHOD.id: metric.of_singular_values for metric in (effective_rank, participation_ratio, top_component_share)
}
"""Metrics that follow from the singular values, by id."""


def spectrum(
    vectors: NDArray[np.floating],
    *,
    centred: Annotated[bool, Knob(help="Subtract the mean vector first.")] = False,
) -> "DataFrame":
    """One row per direction, strongest first: component (from 1), singular_value, relative, share, cumulative.

    `relative` is the ratio to the first singular value, `share` the share of the squared length, `cumulative` the sum of the
    shares so far. attrs: `centred`, `n`, and `effective_rank`, `participation_ratio` and `top_component_share` as the metrics
    of those names.

    Prefer it over those metrics to see the whole decay, and over `projection` to see all directions instead of two.

    Raises:
        BadData: fewer than two rows, only zeros (or, when centred, all rows the same), or a number that is not finite.

    >>> spectrum(np.diag([2.0, 1.0]))["share"].tolist()
    [0.8, 0.2]
    """
    from pandas import DataFrame

    values = singular_values(vectors, "spectrum", centred=centred)
    powers = np.square(values)
    share = powers / powers.sum()
    table = DataFrame(
        {
            "component": np.arange(1, len(values) + 1),
            "singular_value": values,
            "relative": values / values[0],
            "share": share,
            "cumulative": np.cumsum(share),
        }
    )
    table.attrs = {
        "centred": centred,
        "n": len(vectors),
        **{name: measure(values) for name, measure in MEASURES.items()},
    }
    return table


METHOD = Method(
    spectrum,
    title="Singular values",
    source="Roy and Vetterli 2007 for the effective rank; Mu and Viswanath 2018, arXiv:1702.01417",
    formula=r"s_i / s_1,\quad X = U\,\mathrm{diag}(s)\,V^\top",
)
