"""Differences over pairs and seeds: whether one method is better than another, given the randomness of both."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.core.errors import BadData
from workbench.statistics.bootstrap import Difference, resampled, weighted_rhos
from workbench.statistics.correlation import check_scores

RESAMPLES = 1000
UPPER = 0.7
"""The confidence of the limit of the variance over seeds at which degrees of freedom are taken."""


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
    parts = [weighted_rhos(np.ones((len(golds), 1)), (scores,), golds)[0]]
    parts += [weighted_rhos(counts, (scores,), golds)[0] for counts in resampled(len(golds), resamples, seed)]
    return np.concatenate(parts)


class Mean(NamedTuple):
    """A method's mean rho over trainings that differ in their seed alone, with its 95 % interval over seeds and pairs."""

    n: int
    """Seeds."""
    mean: float
    sd: float
    """Over seeds, ddof 1; NaN with one seed."""
    low: float
    high: float
    of_seeds: float
    """Variance of the mean that comes from the seeds; NaN with one seed."""
    of_pairs: float
    """Variance of the mean that comes from the pairs."""
    freedom: float
    """Degrees of freedom of Student's t; infinite where seeds add nothing that is estimated."""


def mean_over_seeds(rhos: ArrayLike, *, level: float = 0.95) -> Mean:
    """The mean over seeds of rows of `resampled_rhos`, with its interval, cut at -1 and 1; see `difference_over_seeds` for the
    method.

    With one seed it is that training's bootstrap interval over pairs, which says nothing about other seeds.

    Raises:
        BadData: no row, or none that has its resamples.

    >>> steady = mean_over_seeds([[0.5, 0.4, 0.6], [0.6, 0.5, 0.7], [0.7, 0.6, 0.8]])
    >>> steady.n, round(steady.mean, 3), round(steady.sd, 3), round(steady.of_seeds, 5)  # .1 squared, divided by 3
    (3, 0.6, 0.1, 0.00333)
    """
    rows = _rows(rhos)
    mean, whole = float(rows[:, 0].mean()), _whole(rows)
    if len(rows) == 1:
        low, high = np.quantile(rows[0, 1:], [(1 - level) / 2, (1 + level) / 2])
        variance = float(rows[0, 1:].var(ddof=1))
        return Mean(1, mean, math.nan, float(low), float(high), math.nan, variance, math.inf)
    of_seeds = _of_seeds(rows[:, 0])
    over = _of_pairs(rows[whole, 1:].mean(axis=0), [rows[whole]], [of_seeds])
    freedom = freedom_of(over, [of_seeds])
    half = _quantile(freedom, level) * math.sqrt(over + of_seeds[0])
    sd = float(rows[:, 0].std(ddof=1))
    return Mean(len(rows), mean, sd, max(-1.0, mean - half), min(1.0, mean + half), of_seeds[0], over, freedom)


def difference_over_seeds(baseline: ArrayLike, other: ArrayLike, *, paired: bool, level: float = 0.95) -> Difference:
    """Mean rho of `other` over its seeds minus that of `baseline`, with its interval and two-sided p.

    Both are rows of `resampled_rhos`, one per seed; with `paired` the rows have the same seeds, and an effect of a seed on
    both cancels. Seeds and pairs are random effects: the variance of the mean is that over pairs, from the bootstrap, plus
    that over seeds, which is not resampled, since a bootstrap of two to five seeds misses half of their spread or more. The
    interaction of the two, which both contain, is counted once: as much is taken off as the spread over seeds can contain, so
    that methods which differ by next to nothing do not seem apart where few seeds happen to agree. The quantile is Student's t
    with the degrees of freedom of Satterthwaite (1946), taken at the upper 70 % confidence limit of the variance over seeds
    instead of at its estimate: where the estimate happens to be small, Satterthwaite's rule takes it for well known, and 95 %
    intervals of three seeds cover as little as 92 %; these cover 93 to 97 % (`python -m experiments.coverage`). A side with one
    row has no spread over seeds. With one row each this is the paired bootstrap over pairs, and the result holds for these two
    trainings only.

    A row may lack its resamples (NaN after its rho): its seed counts, and the pairs' part is that of the other rows.

    Raises:
        BadData: no row, rows that do not match, or a side without a row that has its resamples.

    >>> better = difference_over_seeds([[0.5, 0.4, 0.6]], [[0.7, 0.6, 0.8]], paired=True)
    >>> [round(number, 3) for number in better[:3]]  # 0.2 in every resample
    [0.2, 0.2, 0.2]
    """
    return difference_of(difference_parts(baseline, other, paired=paired), level=level)


def difference_of(parts: "Parts", *, level: float = 0.95) -> Difference:
    """The interval and p of a difference from its parts; see `difference_over_seeds`."""
    if not parts.of_seeds:
        low, high = np.quantile(parts.resampled, [(1 - level) / 2, (1 + level) / 2])
        fewer = min((parts.resampled <= 0).sum(), (parts.resampled >= 0).sum())
        p = min(1.0, 2 * (1 + int(fewer)) / (1 + len(parts.resampled)))
        return Difference(parts.delta, float(low), float(high), p)
    half = _quantile(parts.freedom, level) * parts.error
    # A correlation is within -1..1, so their difference is within -2..2.
    low, high = max(-2.0, parts.delta - half), min(2.0, parts.delta + half)
    return Difference(parts.delta, low, high, t_test(parts.delta, parts.error, parts.freedom))


@dataclass(frozen=True, eq=False)
class Parts:
    """A difference of two methods, and where its uncertainty comes from."""

    delta: float
    of_pairs: float
    """Variance that comes from the pairs."""
    of_seeds: tuple[tuple[float, int], ...]
    """Variances that come from seeds, with their degrees of freedom: one if seeds are paired, else one for each side that has
    several; empty with one seed each."""
    resampled: NDArray[np.float64]
    """The difference in each resample of pairs."""

    @property
    def error(self) -> float:
        """The standard error of the difference."""
        return math.sqrt(self.of_pairs + sum(variance for variance, _ in self.of_seeds))

    @property
    def largest_error(self) -> float:
        """The standard error at the upper limits of the variances over seeds: what it is at most with 70 % for each."""
        return math.sqrt(
            self.of_pairs + sum(largest_variance(variance, freedom) for variance, freedom in self.of_seeds)
        )

    @property
    def freedom(self) -> float:
        """The degrees of freedom of Student's t."""
        return freedom_of(self.of_pairs, self.of_seeds)


def difference_parts(baseline: ArrayLike, other: ArrayLike, *, paired: bool) -> Parts:
    """What `difference_over_seeds` is computed from.

    Raises:
        BadData: see `difference_over_seeds`.
    """
    first, second = _rows(baseline), _rows(other)
    if first.shape[1] != second.shape[1] or (paired and len(first) != len(second)):
        raise BadData("Two tables of resamples do not match.", got=f"{first.shape} and {second.shape}")
    delta = float(second[:, 0].mean() - first[:, 0].mean())
    sides: tuple[NDArray[np.float64], ...] = (first[_whole(first)], second[_whole(second)])
    resampled = sides[1][:, 1:].mean(axis=0) - sides[0][:, 1:].mean(axis=0)
    if paired and len(first) > 1:
        together = second - first
        of_seeds: tuple[tuple[float, int], ...] = (_of_seeds(together[:, 0]),)
        if (whole := _has_resamples(together)).any():
            sides = (together[whole],)
            resampled = sides[0][:, 1:].mean(axis=0)
    else:
        of_seeds = tuple(_of_seeds(rows[:, 0]) for rows in (first, second) if len(rows) > 1)
    return Parts(delta, _of_pairs(resampled, sides, of_seeds), of_seeds, resampled)


def _rows(rhos: ArrayLike) -> NDArray[np.float64]:
    rows = np.atleast_2d(np.asarray(rhos, np.float64))
    if not rows.size or rows.shape[1] < 3:
        raise BadData("A method needs a row of resamples for each seed.", got=f"an array of shape {rows.shape}")
    return rows


def _whole(rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The rows that have their resamples."""
    whole = _has_resamples(rows)
    if not whole.any():
        raise BadData("One side has no row with resamples.", got=f"{len(rows)} rows")
    return whole


def _has_resamples(rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(~np.isnan(rows).any(axis=1))


def _of_seeds(rhos: NDArray[np.float64]) -> tuple[float, int]:
    """The variance of their mean, and its degrees of freedom."""
    return float(rhos.var(ddof=1)) / len(rhos), len(rhos) - 1


def _of_pairs(
    resampled: NDArray[np.float64], sides: Sequence[NDArray[np.float64]], of_seeds: Sequence[tuple[float, int]]
) -> float:
    """The variance over pairs of what was resampled, without the interactions of seeds and pairs of its sides, as far as the
    spread over seeds contains them: with both, the variance is never less than that over pairs.
    """
    shared = min(sum(map(_interaction, sides)), sum(variance for variance, _ in of_seeds))
    return max(0.0, float(resampled.var(ddof=1)) - shared)


def _interaction(rows: NDArray[np.float64]) -> float:
    """The part of the variance over pairs of the mean of rows that differs from seed to seed."""
    seeds = len(rows)
    if seeds < 2:
        return 0.0
    apart = rows[:, 1:] - rows[:, 1:].mean(axis=0)
    return float(apart.var(axis=1, ddof=1).mean()) / (1 - 1 / seeds) / seeds


def freedom_of(of_pairs: float, of_seeds: Sequence[tuple[float, int]]) -> float:
    """Satterthwaite's degrees of freedom at the upper limits of the variances over seeds."""
    limits = [(largest_variance(variance, freedom), freedom) for variance, freedom in of_seeds]
    squares = sum(variance**2 / freedom for variance, freedom in limits)
    total = of_pairs + sum(variance for variance, _ in limits)
    return total**2 / squares if squares else math.inf


def largest_variance(variance: float, freedom: int) -> float:
    """The upper confidence limit of a variance over seeds."""
    from scipy.special import chdtri

    return variance * freedom / float(chdtri(freedom, UPPER))


def _quantile(freedom: float, level: float) -> float:
    """Of Student's t, two-sided."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def t_test(delta: float, error: float, freedom: float = math.inf) -> float:
    """Two-sided p of no difference, from its standard error; by the normal distribution without `freedom`.

    >>> round(t_test(1.96, 1.0), 3), round(t_test(4.302653, 1.0, 2), 3)
    (0.05, 0.05)
    """
    from scipy.special import stdtr

    if error == 0:
        return 1.0 if delta == 0 else 0.0
    return float(2 * stdtr(freedom, -abs(delta) / error))
