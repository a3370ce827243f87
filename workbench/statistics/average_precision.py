"""Average precision: how well a score puts the positive items first."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.core.errors import BadData
from workbench.statistics.bootstrap import Interval, resampled


def average_precision(scores: ArrayLike, positive: ArrayLike) -> float:
    """The mean, over positive items, of the precision at the score of each, in 0..1; items of equal score are taken together.

    Raises:
        BadData: no positive item, different lengths, or a score that is not finite.

    >>> average_precision([0.9, 0.8, 0.7], [True, False, True])  # (1 + 2/3) / 2
    0.8333333333333333
    """
    values, right = _checked(scores, positive)
    return float(weighted(np.ones((len(values), 1)), values, right)[0])


def average_precision_interval(
    scores: ArrayLike, positive: ArrayLike, *, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> Interval:
    """Percentile interval of the average precision over resampled items. A resample without a positive one is left out.

    Raises:
        BadData: see `average_precision`.

    >>> average_precision_interval([0.9, 0.8, 0.1, 0.0], [True, True, False, False])  # positives first in every resample
    Interval(low=1.0, high=1.0)
    """
    values, right = _checked(scores, positive)
    drawn = np.concatenate([weighted(counts, values, right) for counts in resampled(len(values), resamples, seed)])
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def weighted(
    counts: NDArray[np.float64], scores: NDArray[np.float64], positive: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The average precision of each resample, from counts (items, resamples); nan without a positive item."""
    order = np.argsort(-scores, kind="stable")
    inside = counts[order]
    starts = np.flatnonzero(np.concatenate([[True], np.diff(scores[order]) != 0]))
    hits = np.add.reduceat(inside * positive[order][:, None], starts, axis=0)
    above = np.cumsum(np.add.reduceat(inside, starts, axis=0), axis=0)
    precision = np.divide(np.cumsum(hits, axis=0), above, out=np.zeros_like(above), where=above > 0)
    total = hits.sum(axis=0)
    means: NDArray[np.float64] = np.divide(
        (hits * precision).sum(axis=0), total, out=np.full(total.shape, np.nan), where=total > 0
    )
    return means


def _checked(scores: ArrayLike, positive: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    values, right = np.asarray(scores, np.float64), np.asarray(positive, bool)
    if values.ndim != 1 or values.shape != right.shape:
        raise BadData("Average precision needs one score for each item.", got=f"{values.shape} and {right.shape}")
    if not right.any():
        raise BadData("Average precision needs a positive item.", got="none")
    if not np.isfinite(values).all():
        raise BadData("A score is NaN or infinite.")
    return values, right
