"""Which pairs a training ranks worse or better than before, what those have in common, and how far apart the golds came."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.data.common_words import words
from workbench.statistics.correlation import average_ranks
from workbench.statistics.detectable import ALPHA
from workbench.statistics.wilson import wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame, Series

FELL = 0.1
"""The part of the pairs, those whose rank got worse most, that count as fallen."""
LEAST = 10
"""A group of fewer pairs is not compared."""
PARTS = 5
"""The golds of a scale are divided into this many equal parts."""


def pair_changes(table: "DataFrame") -> "DataFrame":
    """`table` (columns gold, before, after, sentence1, sentence2, subset) with how far off each pair is ranked.

    `error_before` and `error_after` (0..1) are the distances of the pair's rank by cosine from its rank by gold score, as a part
    of all ranks; `worse` is their difference, and `ranked` says on which side the pair now is: "too high" or "too low". The
    pairs that got worse most come first; `fell` marks the worst tenth, as far as they got worse at all.
    """
    gold = _ranks(table["gold"])
    before, after = (_ranks(table[name]) - gold for name in ("before", "after"))
    worse = np.abs(after) - np.abs(before)
    last = np.sort(worse)[::-1][max(0, int(np.ceil(FELL * len(worse))) - 1)] if len(worse) else 0.0
    found = table.assign(
        error_before=np.abs(before),
        error_after=np.abs(after),
        worse=worse,
        ranked=np.where(after > 0, "too high", np.where(after < 0, "too low", "right")),
        fell=(worse >= last) & (worse > 0),
    )
    return found.sort_values("worse", ascending=False, kind="stable", ignore_index=True)


def _ranks(values: "Series[float]") -> "NDArray[np.float64]":
    """Average ranks, from 0 to 1."""
    ranks = average_ranks(np.asarray(values, dtype=np.float64))
    return np.asarray((ranks - 1) / max(1, len(ranks) - 1), dtype=np.float64)


def common_features(changes: "DataFrame") -> "DataFrame":
    """What the fallen pairs of `pair_changes` have in common: one row per group of pairs, the most affected first.

    Columns: feature (gold score, genre, words, shared words), value, n (pairs of the group), fell (how many of them did), share
    (their part, 0..1) with low and high (Wilson, 95 % for all groups together, by Bonferroni), worse (mean), and more: whether
    the group has more fallen pairs than all pairs have, beyond its interval. Groups of fewer than ten pairs are left out.
    """
    import pandas

    fell, worse = changes["fell"].to_numpy(dtype=bool), changes["worse"].to_numpy()
    usual = float(fell.mean()) if len(fell) else 0.0
    groups: dict[tuple[str, str], list[int]] = {}
    for feature, values in _features(changes).items():
        for at, value in enumerate(values):
            groups.setdefault((feature, value), []).append(at)
    groups = {name: group for name, group in groups.items() if LEAST <= len(group) < len(fell)}
    rows = []
    for (feature, value), group in groups.items():
        n, count = len(group), int(fell[group].sum())
        low, high = wilson(count, n, level=1 - ALPHA / len(groups))
        rows.append(
            {
                "feature": feature,
                "value": value,
                "n": n,
                "fell": count,
                "share": count / n,
                "low": low,
                "high": high,
                "worse": float(worse[group].mean()),
                "more": low > usual,
            }
        )
    columns = ["feature", "value", "n", "fell", "share", "low", "high", "worse", "more"]
    table = pandas.DataFrame(rows, columns=columns)
    return table.sort_values("share", ascending=False, kind="stable", ignore_index=True)


def gold_bands(changes: "DataFrame") -> "DataFrame":
    """The mean cosine of each fifth of the gold scale, before and after: one row per fifth that has pairs, the lowest first.

    Columns: gold (the fifth, in words), n, before, after, spread_before, spread_after (standard deviations of its cosines).
    """
    import pandas

    columns = ["gold", "n", "before", "after", "spread_before", "spread_after"]
    if changes.empty:
        return pandas.DataFrame(columns=columns)
    ordered = changes.sort_values("gold", kind="stable")
    rows = [
        (
            band,
            len(part),
            *(float(part[when].mean()) for when in ("before", "after")),
            *(float(part[when].std(ddof=0)) for when in ("before", "after")),
        )
        for band, part in ordered.groupby(_fifths(ordered["gold"]), sort=False)
    ]
    return pandas.DataFrame(rows, columns=columns)


def _fifths(gold: "Series[float]") -> list[str]:
    """The part of the scale that each gold score is in, in words."""
    values = gold.to_numpy(dtype=np.float64)
    return _banded(values, np.linspace(np.floor(values.min()), np.ceil(values.max()), PARTS + 1)) if len(values) else []


def _features(changes: "DataFrame") -> dict[str, list[str]]:
    """Each pair's group by gold score, genre, length and shared words."""
    first, second = ([words(text) for text in changes[name]] for name in ("sentence1", "sentence2"))
    lengths = np.array([(len(one) + len(two)) / 2 for one, two in zip(first, second, strict=True)])
    shared = [_jaccard(set(one), set(two)) for one, two in zip(first, second, strict=True)]
    found = {"gold score": _fifths(changes["gold"])}
    genres = [str(genre) for genre in changes["subset"]] if "subset" in changes else []
    if len(set(genres)) > 1:
        found["genre"] = genres
    if len(lengths):
        ends = np.unique(np.quantile(lengths, [0, 1 / 3, 2 / 3, 1]))
        found["words"] = _banded(lengths, ends)
        found["shared words"] = _banded(np.array(shared) * 100, np.array([0, 20, 40, 60, 80, 100]), unit=" %")
    return found


def _jaccard(first: set[str], second: set[str]) -> float:
    """The part of all their words that two texts have in common."""
    return len(first & second) / len(first | second) if first | second else 1.0


def _banded(
    values: "NDArray[np.float64]", ends: "NDArray[np.float64] | Sequence[float]", *, unit: str = ""
) -> list[str]:
    """The band of each value, in words; a value on a border is in the higher band, the highest in the last.

    >>> _banded(np.array([0.0, 2.0, 5.0]), [0, 1, 2, 3, 4, 5]), _banded(np.array([2000.0]), [7.25, 1234, 5000])
    (['0 to 1', '2 to 3', '4 to 5'], ['1,234 to 5,000'])
    """
    borders = np.asarray(ends, dtype=np.float64)
    if len(borders) < 2:
        return [f"{borders[0]:g}{unit}"] * len(values)
    at = np.clip(np.searchsorted(borders, values, side="right") - 1, 0, len(borders) - 2)
    named = [f"{border:.3g}" if border < 999.5 else f"{border:,.0f}" for border in borders]
    return [f"{named[place]} to {named[place + 1]}{unit}" for place in at]
