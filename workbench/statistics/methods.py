"""Methods compared over seeds and pairs: the mean of each, every difference, and what the comparison could have detected."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.core.errors import BadData
from workbench.statistics.bootstrap import FEW_PAIRS, Difference, holm, resampled, weighted_rhos
from workbench.statistics.correlation import check_scores
from workbench.statistics.detectable import ALPHA, Needed, needed, smallest_detectable
from workbench.statistics.pairs_and_seeds import (
    RESAMPLES,
    Parts,
    difference_of,
    difference_parts,
    mean_over_seeds,
    t_test,
)

if TYPE_CHECKING:
    from pandas import DataFrame


TAIL = 0.005
"""A smaller share of resamples on the other side of 0 is a handful of them, and says little."""


@dataclass(frozen=True, eq=False)
class Method:
    """The cosines of a method's trainings, which differ in their seed alone, on the same pairs; an encoder that was not trained
    here has one, and no seed.
    """

    name: str
    cosines: Sequence[ArrayLike]
    seeds: tuple[int, ...] = ()


@dataclass(frozen=True)
class Versus:
    """The difference of two methods: rho of `second` minus rho of `first`."""

    first: str
    second: str
    difference: Difference
    """With its own p."""
    p: float
    """Adjusted by Holm for all pairs of methods."""
    parts: Parts
    paired: bool
    """Whether the seeds of the two are the same, and paired."""
    tests: int
    """For how many comparisons `p` is adjusted."""

    @property
    def verdict(self) -> str:
        """`better` or `worse`, which is `second` at a family-wise level of 5 %, or `tie`."""
        return verdict_of(self.difference.delta, self.p)

    @property
    def detectable(self) -> float:
        """The smallest true difference that this comparison finds with at least 80 %: where the spread over seeds is known badly,
        at the upper limit of its standard error.

        Of several comparisons at the strictest level of Holm's procedure, which a difference meets where no other is found.
        """
        return smallest_detectable(self.parts.largest_error, self.parts.freedom, alpha=ALPHA / self.tests)


@dataclass(frozen=True, eq=False)
class Compared:
    """Methods on the same pairs."""

    pairs: int
    means: "DataFrame"
    """One row per method: name, seeds (how many), mean, sd (over seeds, ddof 1), low, high, seed_error and pair_error (the
    standard errors of the mean that come from either), rhos (a tuple, one per seed)."""
    versus: tuple[Versus, ...]
    """Every two methods, in the order given."""

    @property
    def table(self) -> "DataFrame":
        """One row per two methods: first, second, delta, low, high, p, p_holm, tests, verdict, detectable, paired, of_pairs,
        of_seeds, freedom, of_seeds_other, freedom_other (see `Parts`; NaN where there is none).
        """
        from pandas import DataFrame

        return DataFrame([_row_of(versus) for versus in self.versus], columns=_COLUMNS)


def compare_methods(
    methods: Sequence[Method], gold: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0, groups: int = 1
) -> Compared:
    """Each method's mean Spearman's rho, and the difference of every two, with 95 % intervals over seeds and pairs.

    Seeds are paired where two methods have the same ones, and more than one. p is adjusted by Holm over all pairs of methods, so
    that the chance of even one false difference among them is at most 5 %; with fewer than `FEW_PAIRS` pairs it is 1.
    `groups` is in how many groups of pairs the methods are compared; `compare_by_group` adjusts p for all of them.

    Raises:
        BadData: no method, two of one name, or cosines that cannot rank the pairs; see `spearman_interval`.
    """
    from pandas import DataFrame

    if not methods or len({method.name for method in methods}) < len(methods):
        raise BadData(
            "Methods are compared by name.", rule="Each has a name of its own.", got=f"{len(methods)} methods"
        )
    golds = check_scores(methods[0].cosines[0], gold)[1]
    scores = [check_scores(cosine, golds)[0] for method in methods for cosine in method.cosines]
    counted = (np.ones((len(golds), 1)), *resampled(len(golds), resamples, seed))
    rhos = np.concatenate([weighted_rhos(counts, scores, golds) for counts in counted], axis=1)
    ends = np.cumsum([len(method.cosines) for method in methods])
    rows: dict[str, NDArray[np.float64]] = {
        method.name: own for method, own in zip(methods, np.split(rhos, ends[:-1]), strict=True)
    }
    means = [_mean_row(name, own) for name, own in rows.items()]
    pairs = list(combinations(methods, 2))
    compared = [_versus(first, second, rows) for first, second in pairs]
    if len(golds) < FEW_PAIRS:
        compared = [(difference._replace(p=1.0), parts, paired) for difference, parts, paired in compared]
    adjusted = holm([difference.p for difference, _, _ in compared])
    versus = tuple(
        Versus(first.name, second.name, difference, p, parts, paired, groups * len(pairs))
        for (first, second), (difference, parts, paired), p in zip(pairs, compared, adjusted, strict=True)
    )
    return Compared(len(golds), DataFrame(means), versus)


def compare_by_group(
    groups: Mapping[str, tuple[Sequence[Method], ArrayLike]], *, resamples: int = RESAMPLES, seed: int = 0
) -> "tuple[DataFrame, DataFrame]":
    """Methods compared within each group of pairs, given as (methods, gold scores) by the group's name: the means and the
    differences, as those of `Compared` with the columns group and n (pairs) before them.

    Pairs are resampled within a group. p_holm and the verdicts are adjusted for all groups and all pairs of methods together.

    Raises:
        BadData: see `compare_methods`; or no group.
    """
    import pandas

    if not groups:
        raise BadData("A comparison by group needs groups.", got="0")
    means: list[DataFrame] = []
    differences: list[DataFrame] = []
    for name, (methods, gold) in groups.items():
        compared = compare_methods(methods, gold, resamples=resamples, seed=seed, groups=len(groups))
        for table, rows in ((compared.means, means), (compared.table, differences)):
            table.insert(0, "n", compared.pairs)
            table.insert(0, "group", name)
            rows.append(table)
    joined = pandas.concat(differences, ignore_index=True)
    joined["p_holm"] = holm(list(joined["p"]))
    joined["verdict"] = [verdict_of(row["delta"], row["p_holm"]) for row in joined.to_dict("records")]
    return pandas.concat(means, ignore_index=True), joined


def verdict_of(delta: float, p: float) -> str:
    """`better` or `worse` by the sign of a difference whose adjusted p is at most .05, else `tie`.

    >>> verdict_of(0.1, 0.05), verdict_of(-0.1, 0.01), verdict_of(0.1, 0.06)
    ('better', 'worse', 'tie')
    """
    return "tie" if p > ALPHA else "better" if delta > 0 else "worse"


_COLUMNS = (
    *("first", "second", "delta", "low", "high", "p", "p_holm", "tests", "verdict", "detectable", "paired"),
    *("of_pairs", "of_seeds", "freedom", "of_seeds_other", "freedom_other"),
)


def _row_of(versus: Versus) -> tuple[object, ...]:
    one, other = (*versus.parts.of_seeds, *[(np.nan, np.nan)] * 2)[:2]
    about = versus.tests, versus.verdict, versus.detectable, versus.paired, versus.parts.of_pairs
    return (versus.first, versus.second, *versus.difference, versus.p, *about, *one, *other)


def needed_for(row: Mapping[str, object], pairs: int, difference: float) -> Needed:
    """From a row of `Compared.table`: pairs or seeds that would find a difference of that size with at least 80 %."""
    ends = (("of_seeds", "freedom"), ("of_seeds_other", "freedom_other"))
    numbers = {name: float(str(row[name])) for name in ("of_pairs", *ends[0], *ends[1])}
    seeds = tuple(
        (numbers[variance], int(numbers[freedom])) for variance, freedom in ends if not np.isnan(numbers[variance])
    )
    parts = Parts(0.0, numbers["of_pairs"], seeds, np.zeros(0))
    return needed(parts, pairs, difference, alpha=ALPHA / int(str(row["tests"])))


def _mean_row(name: str, rhos: NDArray[np.float64]) -> dict[str, object]:
    mean = mean_over_seeds(rhos)
    return {
        "name": name,
        "seeds": mean.n,
        "mean": mean.mean,
        "sd": mean.sd,
        "low": mean.low,
        "high": mean.high,
        "seed_error": float(np.sqrt(mean.of_seeds)),
        "pair_error": float(np.sqrt(mean.of_pairs)),
        "rhos": tuple(float(rho) for rho in rhos[:, 0]),
    }


def _versus(first: Method, second: Method, rows: Mapping[str, NDArray[np.float64]]) -> tuple[Difference, Parts, bool]:
    one, two = rows[first.name], rows[second.name]
    paired = len(first.seeds) > 1 and set(first.seeds) == set(second.seeds)
    if paired:
        two = two[[second.seeds.index(seed) for seed in first.seeds]]
    parts = difference_parts(one, two, paired=paired)
    difference = difference_of(parts)
    if not parts.of_seeds and parts.error:
        difference = difference._replace(p=_tail(difference.p, parts))
    return difference, parts, paired


def _tail(p: float, parts: Parts) -> float:
    """The p of a difference over pairs, where few resamples lie on the other side of 0 by the normal distribution.

    Their share is then known badly, and its least value is set by the number of resamples, while the adjustment for several
    comparisons multiplies it. Where the two meet neither is larger, so that more evidence never has a larger p.
    """
    fewer = min((parts.resampled <= 0).sum(), (parts.resampled >= 0).sum())
    few = max(1.0, TAIL * len(parts.resampled))
    if fewer >= few:
        return p
    return min(2 * few / (1 + len(parts.resampled)), t_test(parts.delta, parts.error))
