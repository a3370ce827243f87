"""Differences between settings over the same seeds: seeds are paired, so that an effect of a seed on all settings cancels."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.core.errors import BadData
from workbench.statistics.bootstrap import holm
from workbench.statistics.seeds import over_seeds

if TYPE_CHECKING:
    from pandas import DataFrame

_ROUNDING = 1e-12
"""Of the scores: a smaller spread of their differences is that of rounding."""
BySeed = Mapping[int, float]
"""Scores by seed."""


class OverPairs(NamedTuple):
    """Mean difference over common seeds, its t interval, and the two-sided p of no difference.

    Interval and p are NaN with one seed, and where the difference is the same in all of them, as a count of steps may be: how
    far other seeds would scatter is then not measured. No difference at all is p = 1.
    """

    n: int
    delta: float
    low: float
    high: float
    p: float


def paired_over_seeds(first: BySeed, second: BySeed, *, level: float = 0.95) -> OverPairs:
    """The mean of `second` minus `first` over the seeds that both have, by Student's t.

    Raises:
        BadData: no seed in common, or a score that is not finite.

    >>> paired = paired_over_seeds({0: 1.0, 1: 2.0, 2: 3.0}, {0: 2.0, 1: 2.0, 2: 4.0})  # 1, 0 and 1: mean 2/3, t = 2
    >>> paired.n, round(paired.delta, 3), round(paired.p, 3)
    (3, 0.667, 0.184)
    """
    common = sorted(first.keys() & second.keys())
    if not common:
        raise BadData("These two have no seed in common.", got=f"{sorted(first)} and {sorted(second)}")
    n, mean, sd, low, high = over_seeds([second[seed] - first[seed] for seed in common], level=level)
    if n == 1:
        return OverPairs(1, mean, math.nan, math.nan, math.nan)
    rounding = _ROUNDING * max(abs(score) for side in (first, second) for score in side.values())
    if sd <= rounding:
        same = abs(mean) <= rounding
        return OverPairs(n, mean, low, high, 1.0) if same else OverPairs(n, mean, math.nan, math.nan, math.nan)
    from scipy.special import stdtr

    return OverPairs(n, mean, low, high, float(2 * stdtr(n - 1, -abs(mean) / (sd / math.sqrt(n)))))


def settings_over_seeds(
    scores: Sequence[BySeed],
    reference: int | BySeed | None = None,
    *,
    higher: bool = True,
    alpha: float = 0.05,
) -> "DataFrame":
    """One row per setting: n, mean, sd, low, high, delta, delta_low, delta_high, p, p_holm, standing.

    Differences are to `reference`: the index of a setting, or other scores; by default the setting with the best mean among those
    with the most seeds. `standing` is `reference`, `tie` (adjusted p not below `alpha`), `better`, `worse`, or empty without a p:
    no score, fewer than two seeds in common, or one difference in all of them. p is adjusted by Holm; over all pairs of settings
    if the reference is the best one, since it was chosen by the same scores: of those with two seeds or more in common with it.

    Raises:
        BadData: a score that is not finite.
    """
    from pandas import DataFrame

    chosen = best_of(scores, higher=higher) if reference is None else reference
    against = scores[chosen] if isinstance(chosen, int) and chosen >= 0 else chosen
    index = chosen if isinstance(chosen, int) else -1
    rows = []
    for number, by_seed in enumerate(scores):
        spread = tuple(over_seeds(list(by_seed.values()))) if by_seed else (0, *[math.nan] * 4)
        common = isinstance(against, Mapping) and number != index and bool(by_seed.keys() & against.keys())
        versus = (
            paired_over_seeds(against, by_seed) if common and isinstance(against, Mapping) else (0, *[math.nan] * 4)
        )
        rows.append((*spread, *versus))
    columns = ["n", "mean", "sd", "low", "high", "common", "delta", "delta_low", "delta_high", "p"]
    table = DataFrame(rows, columns=columns)
    tested = table["p"].notna()
    table["p_holm"] = np.nan
    # One difference in all seeds has no p, but its setting could have been the best as well.
    settings = int((table.pop("common") > 1).sum()) + 1
    family = settings * (settings - 1) // 2 if reference is None else 0
    table.loc[tested, "p_holm"] = holm(table.loc[tested, "p"].tolist(), family)
    table["standing"] = ""
    table.loc[tested, "standing"] = "tie"
    beyond = tested & (table["p_holm"] < alpha)
    table.loc[beyond, "standing"] = np.where((table.loc[beyond, "delta"] > 0) == higher, "better", "worse")
    if index >= 0 and table.loc[index, "n"]:
        table.loc[index, "standing"] = "reference"
    return table


def best_of(scores: Sequence[BySeed], *, higher: bool = True) -> int:
    """The index of the best mean among the settings with the most seeds; -1 if there is no score.

    >>> best_of([{0: 1.0, 1: 1.0}, {0: 9.0}, {0: 2.0, 1: 1.0}])
    2
    """
    most = max((len(by_seed) for by_seed in scores), default=0)
    if not most:
        return -1
    sign = 1 if higher else -1
    means = [sign * sum(by_seed.values()) / len(by_seed) if len(by_seed) == most else -math.inf for by_seed in scores]
    return means.index(max(means))
