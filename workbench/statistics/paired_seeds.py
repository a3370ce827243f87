"""Differences between settings over the same seeds: each seed is a pair, so that what a seed does to all of them cancels."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.core.errors import BadData
from workbench.statistics.bootstrap import holm
from workbench.statistics.seeds import over_seeds

if TYPE_CHECKING:
    from pandas import DataFrame

BySeed = Mapping[int, float]
"""A score by seed."""


class OverPairs(NamedTuple):
    """Mean difference over common seeds, its t interval, and the two-sided p of no difference; NaN with one seed."""

    n: int
    delta: float
    low: float
    high: float
    p: float


def paired_over_seeds(first: BySeed, second: BySeed, *, level: float = 0.95) -> OverPairs:
    """`second` less `first`, over the seeds that both have, by Student's t.

    Raises:
        BadData: no seed in common, or a score that is not finite.

    >>> found = paired_over_seeds({0: 1.0, 1: 2.0, 2: 3.0}, {0: 2.0, 1: 2.0, 2: 4.0})  # 1, 0 and 1: mean 2/3, t = 2
    >>> found.n, round(found.delta, 3), round(found.p, 3)
    (3, 0.667, 0.184)
    """
    common = sorted(first.keys() & second.keys())
    if not common:
        raise BadData("These two have no seed in common.", got=f"{sorted(first)} and {sorted(second)}")
    n, mean, sd, low, high = over_seeds([second[seed] - first[seed] for seed in common], level=level)
    if n == 1:
        return OverPairs(1, mean, math.nan, math.nan, math.nan)
    if sd == 0:
        return OverPairs(n, mean, low, high, 1.0 if mean == 0 else 0.0)
    from scipy.special import stdtr

    return OverPairs(n, mean, low, high, float(2 * stdtr(n - 1, -abs(mean) / (sd / math.sqrt(n)))))


def settings_over_seeds(
    scores: Sequence[BySeed],
    reference: int | BySeed | None = None,
    *,
    higher: bool = True,
    alpha: float = 0.05,
) -> "DataFrame":
    """One row a setting: n, mean, sd, low, high, delta, delta_low, delta_high, p, p_holm, standing.

    Differences are to `reference`: the place of a setting, or the scores of something else; without one, the setting with
    the best mean among those that have the most seeds. `standing` is `reference`, `tie` (adjusted p not below `alpha`),
    `better`, `worse`, or empty where nothing can be said: no score, or no two seeds in common. p is adjusted by Holm, over
    all pairs of settings where the reference is the best one, which was picked by the same scores.
    """
    from pandas import DataFrame

    chosen = best_of(scores, higher=higher) if reference is None else reference
    against = scores[chosen] if isinstance(chosen, int) and chosen >= 0 else chosen
    place = chosen if isinstance(chosen, int) else -1
    rows = []
    for number, own in enumerate(scores):
        spread = tuple(over_seeds(list(own.values()))) if own else (0, *[math.nan] * 4)
        common = isinstance(against, Mapping) and number != place and bool(own.keys() & against.keys())
        versus = paired_over_seeds(against, own)[1:] if common and isinstance(against, Mapping) else (math.nan,) * 4
        rows.append((*spread, *versus))
    table = DataFrame(rows, columns=["n", "mean", "sd", "low", "high", "delta", "delta_low", "delta_high", "p"])
    told = table["p"].notna()
    table["p_holm"] = np.nan
    settings = int(told.sum()) + 1
    family = settings * (settings - 1) // 2 if reference is None else 0
    table.loc[told, "p_holm"] = holm(table.loc[told, "p"].tolist(), family)
    table["standing"] = ""
    table.loc[told, "standing"] = "tie"
    beyond = told & (table["p_holm"] < alpha)
    table.loc[beyond, "standing"] = np.where((table.loc[beyond, "delta"] > 0) == higher, "better", "worse")
    if place >= 0 and table.loc[place, "n"]:
        table.loc[place, "standing"] = "reference"
    return table


def best_of(scores: Sequence[BySeed], *, higher: bool = True) -> int:
    """The place of the best mean among the settings with the most seeds; -1 if there is no score at all.

    >>> best_of([{0: 1.0, 1: 1.0}, {0: 9.0}, {0: 2.0, 1: 1.0}])
    2
    """
    most = max((len(own) for own in scores), default=0)
    if not most:
        return -1
    sign = 1 if higher else -1
    means = [sign * sum(own.values()) / len(own) if len(own) == most else -math.inf for own in scores]
    return means.index(max(means))
