"""Bootstrap over pairs: intervals of Spearman's rho, and of the difference of two on the same pairs."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.core.errors import BadData
from workbench.core.seeds import numpy_rng
from workbench.statistics.correlation import check_scores

FEW_PAIRS = 10
"""Below so many pairs nothing is claimed: resamples of a handful give intervals that are far too narrow."""
_CELLS = 120_000  # resamples x pairs processed at once: what fits into the cache


class Interval(NamedTuple):
    """A percentile interval."""

    low: float
    high: float


class Difference(NamedTuple):
    """rho of the second minus rho of the first, its interval, and the two-sided bootstrap p of no difference."""

    delta: float
    low: float
    high: float
    p: float


def spearman_interval(
    cosine: ArrayLike, gold: ArrayLike, *, resamples: int = 2000, seed: int = 0, level: float = 0.95
) -> Interval:
    """Percentile interval of Spearman's rho over resampled pairs, with new ranks in each resample.

    A resample in which all scores are equal counts as 0. Pairs are assumed to be independent: where sentences occur in several
    pairs, the interval can be too narrow, up to several times; see `workbench.statistics.linked_pairs`.

    Raises:
        BadData: no pairs, scores and golds of different length, or a number that is not finite.

    >>> spearman_interval([0.1, 0.5, 0.9, 0.95], [1, 2, 3, 4])  # the order is right in every resample
    Interval(low=1.0, high=1.0)
    """
    scores, golds = check_scores(cosine, gold)
    rhos = np.concatenate(
        [weighted_rhos(counts, (scores,), golds)[0] for counts in resampled(len(golds), resamples, seed)]
    )
    return _interval(rhos, level)


def paired_difference(
    cosine_a: ArrayLike,
    cosine_b: ArrayLike,
    gold: ArrayLike,
    *,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> Difference:
    """rho of `b` minus rho of `a`, both on the same resampled pairs, so that the difficulty of a pair cancels.

    Pairs are assumed to be independent, as in `spearman_interval`.

    `p` is twice the smaller share of resamples on one side of 0, counting the observed sample as one more, so it is
    never 0: with 2,000 resamples it is at least .001.

    Raises:
        BadData: no pairs, different lengths, or a number that is not finite.
    """
    scores_a, golds = check_scores(cosine_a, gold)
    scores_b, _ = check_scores(cosine_b, gold)
    parts = [weighted_rhos(counts, (scores_a, scores_b), golds) for counts in resampled(len(golds), resamples, seed)]
    rho_a, rho_b = np.concatenate(parts, axis=1)
    return _difference(scores_a, scores_b, golds, rho_b - rho_a, level)


def holm(p_values: Sequence[float], family: int = 0) -> list[float]:
    """p adjusted by Holm's step-down rule, in the order given: it limits the chance of even one false difference.

    `family` is the number of tests to adjust for, if these are only the reported part of them: with a reference that was chosen
    as the best of k, that is all pairs, k (k - 1) / 2.

    >>> holm([0.01, 0.04, 0.03])  # .01 x 3; .03 x 2; then not below the previous one
    [0.03, 0.06, 0.06]
    >>> holm([0.01, 0.04], family=3)
    [0.03, 0.08]
    """
    tests = max(family, len(p_values))
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for count, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (tests - count) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def _difference(
    a: NDArray[np.float64], b: NDArray[np.float64], gold: NDArray[np.float64], deltas: NDArray[np.float64], level: float
) -> Difference:
    once = np.ones((len(gold), 1))
    observed = weighted_rhos(once, (a, b), gold)
    fewer = min((deltas <= 0).sum(), (deltas >= 0).sum())
    p = min(1.0, 2 * (1 + int(fewer)) / (1 + len(deltas)))
    return Difference(float(observed[1, 0] - observed[0, 0]), *_interval(deltas, level), p)


def _interval(values: NDArray[np.float64], level: float) -> Interval:
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def resampled(pairs: int, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """How often each pair is in each resample, (pairs, resamples), a block of resamples at a time.

    Raises:
        BadData: no pairs.
    """
    if pairs == 0:
        raise BadData("A bootstrap needs at least one pair.", got="0")
    rng = numpy_rng(seed, "bootstrap", pairs)
    block = max(1, _CELLS // pairs)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        drawn = rng.integers(pairs, size=(size, pairs)) * size + np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * pairs).reshape(pairs, size).astype(np.float64)


def weighted_rhos(
    counts: NDArray[np.float64], scores: Sequence[NDArray[np.float64]], gold: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Spearman's rho of each of `scores` with `gold` in each resample: (scores, resamples), from counts (pairs, resamples).

    A resample is a weight for each pair, so its ranks follow from cumulative weights along an order that is sorted once.
    Resamples are the last axis, so that every step runs over contiguous numbers.
    """
    order = np.argsort(gold, kind="stable")
    gold_ranks = np.empty_like(counts)
    gold_ranks[order] = _centred_ranks(counts[order], gold[order])
    weighted = counts * gold_ranks
    gold_power = np.einsum("ib,ib->b", weighted, gold_ranks)
    rhos = np.empty((len(scores), counts.shape[1]))
    for row, score in enumerate(scores):
        order = np.argsort(score, kind="stable")
        in_order = counts[order]
        ranks = _centred_ranks(in_order, score[order])
        covered = np.einsum("ib,ib->b", weighted[order], ranks)
        scale = np.sqrt(np.einsum("ib,ib,ib->b", in_order, ranks, ranks) * gold_power)
        # Half ranks are exact in fp64, so a resample of equal scores has a scale of exactly 0.
        rhos[row] = np.divide(covered, scale, out=np.zeros_like(scale), where=scale > 0)
    return np.clip(rhos, -1, 1)


def _centred_ranks(counts: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average rank of each pair in each resample minus the mean rank, (pairs, resamples), in the order of sorted `values`."""
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    weights = counts if len(starts) == len(values) else np.add.reduceat(counts, starts, axis=0)
    ranks = np.cumsum(weights, axis=0)  # + 1/2, which subtracting the mean rank (n + 1) / 2 cancels
    ranks -= weights / 2
    ranks -= len(values) / 2
    return ranks if weights is counts else np.repeat(ranks, np.diff(np.append(starts, len(values))), axis=0)
