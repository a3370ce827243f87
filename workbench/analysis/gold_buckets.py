"""Gold buckets: the cosines of pairs that people found equally similar, and how far they overlap with those of others."""

from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.statistics.correlation import check_scores
from workbench.statistics.separation import auc

if TYPE_CHECKING:
    from pandas import DataFrame

BUCKETS = 5
"""On a scale of 0 to 5 each is one point wide."""


def gold_buckets(
    cosine: ArrayLike,
    gold: ArrayLike,
    *,
    lowest: Annotated[float, Knob(-100.0, 100.0, 0.5, "The lowest gold score of the scale.")] = 0.0,
    width: Annotated[float, Knob(0.1, 200.0, 0.1, "The highest gold score of the scale minus the lowest.")] = 5.0,
    high: Annotated[float, Knob(-1.0, 1.0, 0.05, "Cosines above it are counted in the column share_above.")] = 0.6,
) -> "DataFrame":
    """One row per fifth of the scale of gold scores: bucket (0..4), low, high, n, q1, median, q3, share_above.

    A bucket holds the gold scores from its low up to its high, the last one its high too; q1, median and q3 are the quartiles of
    its cosines, NaN where it is empty. attrs: `auc`, the probability that a pair of the last fifth has a higher cosine than one
    of the first two (gold >= 4 against < 2 on 0 to 5), ties counted half, None without both; `n_high` and `n_low`, their
    numbers; `high` and `share_above`, that of all pairs; `n`.

    Prefer it over `worst_pairs` to see how far cosines separate like from unlike as a whole.

    Raises:
        BadData: different lengths, no pairs, a scale of no width, or a score that is not finite.

    >>> gold_buckets([0.1, 0.2, 0.9], [0, 1.5, 5]).attrs["auc"]
    1.0
    """
    from pandas import DataFrame

    scores, golds = check_scores(cosine, gold)
    if not len(golds):
        raise BadData("There are no pairs.", got="0")
    if not width > 0:
        raise BadData("The scale of gold scores has no width.", got=str(width))
    buckets = bucket_of(golds, lowest, width)
    edges = np.linspace(lowest, lowest + width, BUCKETS + 1)
    rows = []
    for bucket in range(BUCKETS):
        inside = scores[buckets == bucket]
        quartiles = np.percentile(inside, [25, 50, 75]) if len(inside) else np.full(3, np.nan)
        rows.append(
            {
                "bucket": bucket,
                "low": float(edges[bucket]),
                "high": float(edges[bucket + 1]),
                "n": len(inside),
                **dict(zip(("q1", "median", "q3"), map(float, quartiles), strict=True)),
                "share_above": float((inside > high).mean()) if len(inside) else np.nan,
            }
        )
    most, least = scores[buckets == BUCKETS - 1], scores[buckets < 2]
    table = DataFrame(rows)
    table.attrs = {
        "auc": auc(most, least),
        "n_high": len(most),
        "n_low": len(least),
        "high": high,
        "share_above": float((scores > high).mean()),
        "n": len(scores),
    }
    return table


def bucket_of(gold: NDArray[np.float64], lowest: float, width: float) -> NDArray[np.int64]:
    """The fifth of the scale in which each gold score lies; scores beyond its ends are in the outer ones.

    >>> bucket_of(np.array([0.0, 0.99, 1.0, 3.2, 4.0, 5.0]), 0, 5).tolist()
    [0, 0, 1, 3, 4, 4]
    """
    # The small amount keeps 4.2 of 1..5 from being below its edge by rounding.
    fifths = np.floor((gold - lowest) / width * BUCKETS + 1e-9)
    return np.clip(fifths, 0, BUCKETS - 1).astype(np.int64)


METHOD = Method(
    gold_buckets,
    title="Cosines by gold score",
    source="Buckets and share above .6: Yan et al. 2021, ConSERT, figure 1; AUC: Hanley and McNeil 1982",
    formula=r"\mathrm{AUC} = P(\cos_i > \cos_j \mid \mathrm{gold}_i \ge 4,\ \mathrm{gold}_j < 2)",
)
