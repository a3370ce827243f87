"""Bootstrap over pairs and seeds: is one method better than another, given both which pairs and which seeds were drawn?"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.core.errors import BadData
from workbench.core.seeds import numpy_rng
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


def difference_over_seeds(
    baseline: ArrayLike, other: ArrayLike, *, paired: bool, seed: int = 0, level: float = 0.95
) -> Difference:
    """Mean rho of `other` over its seeds less that of `baseline`, with its interval and two-sided bootstrap p.

    Both are rows of `resampled_rhos`, one a seed. Each resample draws pairs, as it was drawn there, and seeds with
    replacement; `paired` draws the same seeds for both, whose rows then correspond. A single seed is taken as it is:
    what is said then holds for that seed, over pairs.

    Raises:
        BadData: no row, or rows that do not fit together.

    >>> better = difference_over_seeds([[0.5, 0.4, 0.6]], [[0.7, 0.6, 0.8]], paired=True)
    >>> [round(number, 3) for number in better[:3]]  # 0.2 in every resample
    [0.2, 0.2, 0.2]
    """
    one, two = (np.atleast_2d(np.asarray(rows, np.float64)) for rows in (baseline, other))
    if not one.size or one.shape[1] != two.shape[1] or (paired and len(one) != len(two)):
        raise BadData("Two tables of resamples do not fit together.", got=f"{one.shape} and {two.shape}")
    resamples = one.shape[1] - 1
    rng = numpy_rng(seed, "seeds", len(one), len(two))
    drawn_two = rng.integers(len(two), size=(len(two), resamples))
    drawn_one = drawn_two if paired else rng.integers(len(one), size=(len(one), resamples))
    columns = np.arange(1, resamples + 1)
    deltas = two[drawn_two, columns].mean(axis=0) - one[drawn_one, columns].mean(axis=0)
    low, high = np.quantile(deltas, [(1 - level) / 2, (1 + level) / 2])
    fewer = min((deltas <= 0).sum(), (deltas >= 0).sum())
    p = min(1.0, 2 * (1 + int(fewer)) / (1 + resamples))
    return Difference(float(two[:, 0].mean() - one[:, 0].mean()), float(low), float(high), p)
