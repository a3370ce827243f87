"""Changed pairs: which pairs one model ranks better or worse than another, by how far each is from the rank of its gold score."""

from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import ArrayLike

from workbench.analysis.worst_pairs import worst_pairs
from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from pandas import DataFrame

MENDED, BROKEN, UNCHANGED = "mended", "broken", "as before"
"""What a second model did to a pair."""
VERDICTS = (MENDED, BROKEN, UNCHANGED)


def changed_pairs(
    before: ArrayLike,
    after: ArrayLike,
    gold: ArrayLike,
    *,
    threshold: Annotated[
        float,
        Knob(0.0, 1.0, 0.01, "A pair changed if the size of its residual did by more than this share of the ranks."),
    ] = 0.1,
) -> "DataFrame":
    """What a second model did to each pair, in the order of the pairs.

    Columns: row, gold, cosine_before, cosine_after, residual_before, residual_after, change, verdict. A residual is the rank of
    a pair's cosine minus the rank of its gold score, both 0..1, as in `worst_pairs`; `change` is the size of the residual after
    minus its size before, below 0 where the pair is nearer to its gold rank. verdict: `mended` (change below -threshold),
    `broken` (above it) or `as before`.

    attrs: `threshold`, `mended` and `broken`, the numbers of such pairs.

    Prefer it over two Spearman correlations to see which pairs their difference comes from.

    Raises:
        BadData: different lengths, no pairs, or a score that is not finite.

    >>> table = changed_pairs([0.9, 0.1, 0.2], [0.1, 0.2, 0.3], [0, 1, 2])
    >>> table[["residual_before", "residual_after", "change", "verdict"]].values.tolist()[:2]
    [[1.0, 0.0, -1.0, 'mended'], [-0.5, 0.0, -0.5, 'mended']]
    """
    first, second = (
        worst_pairs(cosine, gold, count=max(1, len(np.atleast_1d(gold)))).sort_values("row").reset_index(drop=True)
        for cosine in (before, after)
    )
    change = second["residual"].abs() - first["residual"].abs()
    # Ranks are multiples of a half: the margin is below any of them, so that rounding never decides.
    margin = threshold + 1e-9
    table = first[["row", "gold"]].assign(
        cosine_before=first["cosine"],
        cosine_after=second["cosine"],
        residual_before=first["residual"],
        residual_after=second["residual"],
        change=change,
        verdict=np.select([change < -margin, change > margin], [MENDED, BROKEN], UNCHANGED),
    )
    table.attrs = {
        "threshold": threshold,
        **{verdict: int((table["verdict"] == verdict).sum()) for verdict in (MENDED, BROKEN)},
    }
    return table


METHOD = Method(
    changed_pairs,
    title="Mended and broken pairs",
    source="Defined here; difference of the sizes of two residuals of ranks",
    formula=r"|r_i^{\mathrm{after}}| - |r_i^{\mathrm{before}}|",
)
