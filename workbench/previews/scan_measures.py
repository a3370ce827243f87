"""The numbers of one augmentation over many texts: how often it changes one, by how much, and how alike it stays."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.augmentations.draw import Draw
from workbench.core.rows import row_cosines
from workbench.previews.perturbation import Perturbed

if TYPE_CHECKING:
    from pandas import DataFrame

SHOWN = 5
"""Examples at each end."""
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
"""Columns of numbers, empty where they make no sense. Intervals are 95 %; over changed texts are `perturbation`, `size`,
`length`, `characters` and `cosine`. `texts_per_second` is of drawing, and empty where a model writes: `scan_cost` tries that."""
EXTREME = ["pipeline", "end", "rank", "before", "text", "note", "cosine", "perturbation"]


def of_texts(
    texts: Sequence[str],
    draws: Sequence[Draw],
    unit: Callable[[list[int]], tuple[np.ndarray, np.ndarray]],
    everything: frozenset[str],
) -> "tuple[dict[str, Any], DataFrame]":
    """Numbers and extremes of a pipeline that makes texts.

    `unit` gives the unit vectors of the texts at some places and of what was made of them. `everything` holds the texts of
    the corpus: to come out as one of them is to be a duplicate.
    """
    n = len(texts)
    at = [place for place, draw in enumerate(draws) if draw.changed]
    before, after = [texts[place] for place in at], [draws[place].text for place in at]
    lengths, characters = _lengths(before, after)
    own = {"perturbation": edit_shares(before, after), "length": lengths, "characters": characters}
    cosines = np.ones(n)
    if at:
        one, other = unit(at)
        cosines[at] = (one * other).sum(axis=1)
    row, chosen = _numbers(np.array([draw.changed for draw in draws], dtype=bool), own, cosines)
    row |= {"duplicates": sum(text in everything for text in after) / n, "acted": sum(d.acted for d in draws) / n}
    return row, _extremes(chosen, lambda place: (before[place], after[place], ""))


def of_inside(texts: Sequence[str], found: Perturbed) -> "tuple[dict[str, Any], DataFrame]":
    """Numbers and extremes of what leaves the texts alone and changes them inside the encoder."""
    cosines = np.where(found.changed, row_cosines(found.before, found.after), 1.0)
    changed = found.changed
    own = {"perturbation": found.share[changed], "size": found.size[changed], "length": found.length[changed]}
    row, chosen = _numbers(changed, own, cosines)
    at = np.flatnonzero(changed)
    return row, _extremes(chosen, lambda place: (texts[at[place]], texts[at[place]], found.said(int(at[place]))))


class _Chosen:
    """Which of the changed texts stand at either end, with what is shown of each."""

    def __init__(self, cosines: np.ndarray, shares: np.ndarray) -> None:
        self.cosines, self.shares = cosines, shares
        order = np.argsort(cosines, kind="stable")
        least, most = order[:SHOWN], order[::-1][:SHOWN]
        ends = [("least", rank, int(place)) for rank, place in enumerate(least, 1)]
        few = set(least.tolist())
        self.ends = ends + [("most", rank, int(place)) for rank, place in enumerate(most, 1) if place not in few]


def _numbers(changed: np.ndarray, own: Mapping[str, np.ndarray], cosines: np.ndarray) -> tuple[dict[str, Any], _Chosen]:
    """`own` has a value for each changed text, `cosines` one for every text."""
    from workbench.statistics.means import mean_intervals
    from workbench.statistics.wilson import wilson

    n, count = len(changed), int(changed.sum())
    row: dict[str, Any] = {"n": n, "n_changed": count, "changed": count / n if n else None}
    row["changed_low"], row["changed_high"] = wilson(count, n)
    if count:
        columns = {**own, "cosine": cosines[changed]}
        intervals = mean_intervals(np.stack(list(columns.values()), axis=1))
        for (name, values), interval in zip(columns.items(), intervals, strict=True):
            row[name], row[f"{name}_low"], row[f"{name}_high"] = float(values.mean()), *interval
        row |= quantiles("cosine", cosines[changed])
    (interval,) = mean_intervals(cosines[:, None])
    row |= {"cosine_all": float(cosines.mean()), "cosine_all_low": interval.low, "cosine_all_high": interval.high}
    return row | quantiles("cosine_all", cosines), _Chosen(cosines[changed], own["perturbation"])


def _extremes(chosen: _Chosen, shown: Callable[[int], tuple[str, str, str]]) -> "DataFrame":
    import pandas

    rows = [
        (end, rank, *shown(place), float(chosen.cosines[place]), float(chosen.shares[place]))
        for end, rank, place in chosen.ends
    ]
    return pandas.DataFrame(rows, columns=EXTREME[1:])


def quantiles(name: str, values: np.ndarray) -> dict[str, float]:
    """`values` at 5, 50 and 95 %, as `name_05` and so on."""
    return {f"{name}_{part:02.0f}": float(np.quantile(values, part / 100)) for part in (5, 50, 95)}


def edit_shares(before: Sequence[str], after: Sequence[str]) -> np.ndarray:
    """For each pair of texts the words put in, taken out or replaced, as a share of the words of the longer one.

    A word that moved counts twice, where it was and where it is. Chinese and Japanese count characters.

    >>> edit_shares(["a red cat sat"], ["a blue cat sat"])
    array([0.25])
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    from workbench.augmentations.text._words import words

    if not len(before):
        return np.zeros(0)
    one, other = [words(text) for text in before], [words(text) for text in after]
    longest = np.array([max(len(a), len(b), 1) for a, b in zip(one, other, strict=True)])
    return np.asarray(cpdist(one, other, scorer=Levenshtein.distance, dtype=np.int64) / longest)


def _lengths(before: Sequence[str], after: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Relative change of the number of words and of characters, 0.1 for a tenth more."""
    from workbench.augmentations.text._words import words

    found = []
    for count in (lambda text: len(words(text)), len):
        old = np.array([max(1, count(text)) for text in before])
        found.append(np.array([count(text) for text in after]) / old - 1)
    return found[0], found[1]
