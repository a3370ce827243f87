"""Differences over pairs and seeds: whether one method is better than another, given the randomness of both."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.core.errors import BadData
from workbench.statistics.bootstrap import Difference, resampled
from workbench.statistics.bootstrap import _rhos as weighted_rhos
from workbench.statistics.correlation import check_scores

RESAMPLES = 1000


def resampled_rhos(
    cosine: ArrayLike, gold: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0
) -> NDArray[np.float64]:
    """Spearman's rho on all pairs, then in each resample of pairs: 1 + `resamples` numbers.

    The resamples depend only on the number of pairs and the seed, so those of two models on the same pairs are paired.

    Raises:
        BadData: no pairs, different lengths, or a number that is not finite.

    >>> resampled_rhos([0.1, 0.5, 0.9], [1, 2, 3], resamples=2).tolist()[0]
    1.0
    """
    scores, golds = check_scores(cosine, gold)
    parts = [weighted_rhos(np.ones((1, len(golds))), (scores,), golds)[0]]
    parts += [weighted_rhos(counts, (scores,), golds)[0] for counts in resampled(len(golds), resamples, seed)]
    return np.concatenate(parts)


def difference_over_seeds(baseline: ArrayLike, other: ArrayLike, *, paired: bool, level: float = 0.95) -> Difference:
    """Mean rho of `other` over its seeds minus that of `baseline`, with its interval and two-sided p.

    Both are rows of `resampled_rhos`, one per seed; with `paired` the rows have the same seeds, and an effect of a seed on
    both cancels. Resampling two to five seeds would miss half of their spread or more, so only pairs are resampled: half the
    interval is the root of (normal quantile x standard error over pairs) squared plus (quantile of Student's t x standard
    error over seeds) squared. A side with one row has no spread over seeds. With one row each this is the paired bootstrap
    over pairs, and the result holds for these two trainings only.

    A row may lack its resamples (NaN after its rho): its seed counts, and the pairs' part is that of the other rows. The
    interval is then too wide rather than too narrow: the mean of fewer seeds has more noise.

    Raises:
        BadData: no row, rows that do not match, or a side without a row that has its resamples.

    >>> better = difference_over_seeds([[0.5, 0.4, 0.6]], [[0.7, 0.6, 0.8]], paired=True)
    >>> [round(number, 3) for number in better[:3]]  # 0.2 in every resample
    [0.2, 0.2, 0.2]
    """
    first, second = (np.atleast_2d(np.asarray(rows, np.float64)) for rows in (baseline, other))
    if not first.size or first.shape[1] != second.shape[1] or (paired and len(first) != len(second)):
        raise BadData("Two tables of resamples do not match.", got=f"{first.shape} and {second.shape}")
    delta = float(second[:, 0].mean() - first[:, 0].mean())
    whole = [~np.isnan(rows).any(axis=1) for rows in (first, second)]
    if paired and (whole[0] & whole[1]).any():
        whole = [whole[0] & whole[1]] * 2
    if not all(rows.any() for rows in whole):
        raise BadData("One side has no row with resamples.", got=f"{len(first)} and {len(second)} rows")
    deltas = second[whole[1], 1:].mean(axis=0) - first[whole[0], 1:].mean(axis=0)
    over = [second[:, 0] - first[:, 0]] if paired else [first[:, 0], second[:, 0]]
    of_seeds = [(float(rhos.var(ddof=1)) / len(rhos), len(rhos) - 1) for rhos in over if len(rhos) > 1]
    if not of_seeds:
        low, high = np.quantile(deltas, [(1 - level) / 2, (1 + level) / 2])
        fewer = min((deltas <= 0).sum(), (deltas >= 0).sum())
        return Difference(delta, float(low), float(high), min(1.0, 2 * (1 + int(fewer)) / (1 + len(deltas))))
    parts = [(float(deltas.var(ddof=1)), math.inf), *of_seeds]
    half = _half(parts, 1 - level)
    return Difference(delta, delta - half, delta + half, _p(parts, abs(delta)))


def _half(parts: Sequence[tuple[float, float]], alpha: float) -> float:
    """Half the width of the 1 - `alpha` interval, from variances with their degrees of freedom."""
    from scipy.special import stdtrit

    return math.sqrt(sum(variance * float(stdtrit(freedom, 1 - alpha / 2)) ** 2 for variance, freedom in parts))


def _p(parts: Sequence[tuple[float, float]], distance: float) -> float:
    """The `alpha` at which half the interval is `distance`, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _half(parts, middle) > distance else (low, middle)
    return high
