"""Measures of one augmentation over many texts: how often it changes a text, by how much, and the similarity that remains."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from workbench.augmentations.draw import Draw
from workbench.core.rows import row_cosines
from workbench.previews.perturbation import Perturbation

if TYPE_CHECKING:
    from pandas import DataFrame

SHOWN = 5
"""Examples at each end."""

Row: TypeAlias = dict[str, float | None]
"""Measures by column, see `MEASURED`; missing where they make no sense."""
_SPREAD = ("", "_low", "_high", "_05", "_50", "_95")
_CENTRE = ("", "_low", "_high")
_OF_CHANGED = ("perturbation", "size", "length", "characters", "cosine")
MEASURED = [
    "n",
    "n_changed",
    *(f"changed{end}" for end in _CENTRE),
    *(f"{name}{end}" for name in _OF_CHANGED[:-1] for end in _CENTRE),
    *(f"cosine{end}" for end in _SPREAD),
    *(f"cosine_all{end}" for end in _SPREAD),
    "duplicates",
    "acted",
    "texts_per_second",
]
"""Columns of numbers, empty where they make no sense. Intervals are 95 %. `perturbation`, `size`, `length`, `characters` and
`cosine` are over changed texts. `texts_per_second` is of drawing, and empty for texts written by a model, see `scan_cost`."""
EXTREME = ["pipeline", "end", "rank", "before", "text", "note", "cosine", "perturbation"]


def of_texts(
    texts: Sequence[str],
    draws: Sequence[Draw],
    unit: Callable[[list[int]], tuple[np.ndarray, np.ndarray]],
    everything: frozenset[str],
) -> "tuple[Row, DataFrame]":
    """Measures and extremes of a pipeline that produces texts.

    `unit` takes row numbers and returns unit vectors (rows, dim) before and after. `everything` holds the texts of the
    corpus: an augmented text that is one of them is a duplicate.
    """
    n = len(texts)
    rows = [index for index, draw in enumerate(draws) if draw.changed]
    before, after = [texts[index] for index in rows], [draws[index].text for index in rows]
    lengths, characters = _lengths(before, after)
    measures = {"perturbation": edit_shares(before, after), "length": lengths, "characters": characters}
    cosines = np.ones(n)
    if rows:
        unit_before, unit_after = unit(rows)
        cosines[rows] = (unit_before * unit_after).sum(axis=1)
    row, chosen = _numbers(np.array([draw.changed for draw in draws], dtype=bool), measures, cosines, before)
    row |= {"duplicates": sum(text in everything for text in after) / n, "acted": sum(draw.acted for draw in draws) / n}
    return row, _extremes(chosen, lambda index: (before[index], after[index], ""))


def of_inside(texts: Sequence[str], change: Perturbation) -> "tuple[Row, DataFrame]":
    """Measures and extremes of a pipeline that changes texts inside the encoder."""
    cosines = np.where(change.changed, row_cosines(change.before, change.after), 1.0)
    changed = change.changed
    measures = {"perturbation": change.share[changed], "size": change.size[changed], "length": change.length[changed]}
    rows = np.flatnonzero(changed)
    own = [texts[int(row)] for row in rows]
    row, chosen = _numbers(changed, measures, cosines, own)
    return row, _extremes(chosen, lambda index: (own[index], own[index], change.describe(int(rows[index]))))


class _Chosen:
    """The changed texts with the least and the highest cosine; of equal texts one, since a corpus may repeat them."""

    def __init__(self, cosines: np.ndarray, shares: np.ndarray, texts: Sequence[str]) -> None:
        self.cosines, self.shares = cosines, shares
        order = np.argsort(cosines, kind="stable").tolist()
        least = _different(order, texts)
        shown = {texts[index] for index in least}
        most = _different([index for index in reversed(order) if texts[index] not in shown], texts)
        self.ends = [
            (end, rank, index) for end, rows in (("least", least), ("most", most)) for rank, index in enumerate(rows, 1)
        ]


def _different(order: Sequence[int], texts: Sequence[str]) -> list[int]:
    """The first few rows in this order whose texts differ."""
    first: dict[str, int] = {}
    for index in order:
        if len(first) == SHOWN:
            break
        first.setdefault(texts[index], index)
    return list(first.values())


def _numbers(
    changed: np.ndarray, measures: Mapping[str, np.ndarray], cosines: np.ndarray, texts: Sequence[str]
) -> tuple[Row, _Chosen]:
    """The row of an augmentation: `measures` have a value for each of the changed `texts`, `cosines` one for every text."""
    from workbench.statistics.means import mean_intervals
    from workbench.statistics.wilson import wilson

    n, count = len(changed), int(changed.sum())
    row: Row = {"n": n, "n_changed": count, "changed": count / n if n else None}
    row["changed_low"], row["changed_high"] = wilson(count, n)
    if count:
        columns = {**measures, "cosine": cosines[changed]}
        intervals = mean_intervals(np.stack(list(columns.values()), axis=1))
        for (name, values), interval in zip(columns.items(), intervals, strict=True):
            row[name], row[f"{name}_low"], row[f"{name}_high"] = float(values.mean()), *interval
        row |= quantiles("cosine", cosines[changed])
    (interval,) = mean_intervals(cosines[:, None])
    row |= {"cosine_all": float(cosines.mean()), "cosine_all_low": interval.low, "cosine_all_high": interval.high}
    return row | quantiles("cosine_all", cosines), _Chosen(cosines[changed], measures["perturbation"], texts)


def _extremes(chosen: _Chosen, texts_of: Callable[[int], tuple[str, str, str]]) -> "DataFrame":
    import pandas

    rows = [
        (end, rank, *texts_of(index), float(chosen.cosines[index]), float(chosen.shares[index]))
        for end, rank, index in chosen.ends
    ]
    return pandas.DataFrame(rows, columns=EXTREME[1:])


def quantiles(name: str, values: np.ndarray) -> dict[str, float]:
    """The 5, 50 and 95 % quantiles of `values`, as `name_05` and so on."""
    return {f"{name}_{part:02.0f}": float(np.quantile(values, part / 100)) for part in (5, 50, 95)}


def edit_shares(before: Sequence[str], after: Sequence[str]) -> np.ndarray:
    """The word-level Levenshtein distance of each pair, as a share of the words of the longer text, 0..1.

    A word that moved counts twice, as a deletion and an insertion. In Chinese and Japanese, characters are counted.

    >>> edit_shares(["a red cat sat"], ["a blue cat sat"])
    array([0.25])
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    from workbench.augmentations.text._words import words

    if not len(before):
        return np.zeros(0)
    first, second = [words(text) for text in before], [words(text) for text in after]
    longest = np.array([max(len(a), len(b), 1) for a, b in zip(first, second, strict=True)])
    return np.asarray(cpdist(first, second, scorer=Levenshtein.distance, dtype=np.int64) / longest)


def _lengths(before: Sequence[str], after: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Relative changes of the number of words and of characters, 0.1 for a tenth more."""
    from workbench.augmentations.text._words import words

    changes = []
    for count in (lambda text: len(words(text)), len):
        old = np.array([max(1, count(text)) for text in before])
        changes.append(np.array([count(text) for text in after]) / old - 1)
    return changes[0], changes[1]
