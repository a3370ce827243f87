"""Differences over pairs and seeds: is one method better than another, given both which pairs and which seeds were drawn?"""

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
    """Spearman's rho on all pairs, and then in each resample of pairs: 1 + `resamples` numbers.

    The resamples depend on the number of pairs and the seed only, so those of two models on the same pairs are paired.

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
    """Mean rho of `other` over its seeds less that of `baseline`, with its interval and two-sided p.

    Both are rows of `resampled_rhos`, one a seed; with `paired` the rows are of the same seeds, and what a seed does to
    both cancels. Resampling two to five seeds would miss half of their spread and more, so only pairs are resampled: half
    the interval is the root of (normal quantile x its standard error over pairs) squared and (quantile of Student's t
    x its standard error over seeds) squared. A side with one row is taken as it is. With one row each this is the paired
    bootstrap over pairs, and what is said holds for that one training.

    A row may lack its resamples (NaN behind its rho): its seed counts, and the pairs' part is that of the other rows. It is
    then wide rather than narrow: the mean of fewer seeds has more noise.

    Raises:
        BadData: no row, rows that do not fit together, or a side of which every row lacks its resamples.

    >>> better = difference_over_seeds([[0.5, 0.4, 0.6]], [[0.7, 0.6, 0.8]], paired=True)
    >>> [round(number, 3) for number in better[:3]]  # 0.2 in every resample
    [0.2, 0.2, 0.2]
    """
    one, two = (np.atleast_2d(np.asarray(rows, np.float64)) for rows in (baseline, other))
    if not one.size or one.shape[1] != two.shape[1] or (paired and len(one) != len(two)):
        raise BadData("Two tables of resamples do not fit together.", got=f"{one.shape} and {two.shape}")
    delta = float(two[:, 0].mean() - one[:, 0].mean())
    whole = [~np.isnan(rows).any(axis=1) for rows in (one, two)]
    if paired and (whole[0] & whole[1]).any():
        whole = [whole[0] & whole[1]] * 2
    if not all(rows.any() for rows in whole):
        raise BadData("Of one side no row has its resamples.", got=f"{len(one)} and {len(two)} rows")
    deltas = two[whole[1], 1:].mean(axis=0) - one[whole[0], 1:].mean(axis=0)
    over = [two[:, 0] - one[:, 0]] if paired else [one[:, 0], two[:, 0]]
    of_seeds = [(float(rhos.var(ddof=1)) / len(rhos), len(rhos) - 1) for rhos in over if len(rhos) > 1]
    if not of_seeds:
        low, high = np.quantile(deltas, [(1 - level) / 2, (1 + level) / 2])
        fewer = min((deltas <= 0).sum(), (deltas >= 0).sum())
        return Difference(delta, float(low), float(high), min(1.0, 2 * (1 + int(fewer)) / (1 + len(deltas))))
    parts = [(float(deltas.var(ddof=1)), math.inf), *of_seeds]
    half = _half(parts, 1 - level)
    return Difference(delta, delta - half, delta + half, _p(parts, abs(delta)))


def _half(parts: Sequence[tuple[float, float]], alpha: float) -> float:
    """Half the interval that leaves out `alpha`, of variances with their degrees of freedom."""
    from scipy.special import stdtrit

    return math.sqrt(sum(variance * float(stdtrit(freedom, 1 - alpha / 2)) ** 2 for variance, freedom in parts))


def _p(parts: Sequence[tuple[float, float]], distance: float) -> float:
    """The `alpha` at which half the interval is `distance`, by halving."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _half(parts, middle) > distance else (low, middle)
    return high
