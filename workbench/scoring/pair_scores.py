"""Numbers about an encoder on scored pairs: ranking, and the geometry of the same sentences."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.errors import BadData

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.data.pair_sets import PairSet

Encode = Callable[[list[str]], np.ndarray]

COLLAPSE, FLAT = 0.99, -0.05
"""A mean cosine of random pairs, or a uniformity, above which a space has collapsed."""


def positives(pairs: "PairSet") -> tuple[np.ndarray, float]:
    """Which pairs count as partners: those above four fifths of the highest score, which is gold > 4 on 0..5 and on 1..5.

    On a scale that begins below 0 it is four fifths of the way from its lowest score.
    """
    low, high = pairs.scale
    threshold = 0.8 * high if low >= 0 else low + 0.8 * (high - low)
    return np.asarray(pairs.gold) > threshold, threshold


def geometry(vectors: np.ndarray, a: np.ndarray, b: np.ndarray, alignment_on: str) -> dict[str, Any]:
    """Uniformity and mean cosine of `vectors`, alignment of the partners `a` and `b` (None without any).

    `alignment_on` names what the partners are: values under different names must not be compared.
    """
    from workbench.metrics.alignment import alignment
    from workbench.metrics.mean_cosine import mean_cosine
    from workbench.metrics.uniformity import uniformity

    mean, spread = mean_cosine(vectors), uniformity(vectors)
    return {
        "alignment": alignment(a, b) if len(a) else None,
        "alignment_on": alignment_on,
        "uniformity": spread,
        "mean_cosine": mean,
        "collapsed": bool(mean > COLLAPSE or spread > FLAT),
    }


def undefined(cosines: np.ndarray, gold: np.ndarray) -> str:
    """Why there is no rank correlation; empty where there is one.

    >>> undefined(np.array([0.1, 0.2]), np.array([3.0, 3.0]))
    'all gold scores are equal'
    """
    if len(gold) < 2:
        return "there are fewer than two pairs"
    return "all cosines are equal" if np.ptp(cosines) == 0 else "all gold scores are equal" if np.ptp(gold) == 0 else ""


def _isoscore(vectors: np.ndarray) -> float | None:
    """None where there is none: of a space that has collapsed, or of one vector."""
    from workbench.metrics.isoscore import isoscore

    try:
        return isoscore(vectors)
    except BadData:
        return None


class Scored:
    """Pair sets with their distinct sentences numbered once, so that each look encodes each sentence once."""

    def __init__(self, pair_sets: "Sequence[PairSet]") -> None:
        self.pair_sets = list(pair_sets)
        place: dict[str, int] = {}
        self.rows: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        for pairs in self.pair_sets:
            first = np.array([place.setdefault(text, len(place)) for text in pairs.first], dtype=np.int64)
            second = np.array([place.setdefault(text, len(place)) for text in pairs.second], dtype=np.int64)
            self.rows.append((first, second, np.unique(np.concatenate([first, second]))))
        self.texts = list(place)

    def look(self, encode: Encode, *, interval: bool = False) -> list[dict[str, Any]]:
        """One row a pair set: pairs, n, spearman and geometry; with its 95 % interval and IsoScore if asked.

        A correlation that is undefined is NaN with an interval, and `undefined` then says why; without one, in the looks
        of a training, it is 0, since the choice of a step needs a number.
        """
        vectors = encode(self.texts)
        return [self._row(at, vectors, interval) for at in range(len(self.pair_sets))]

    def tables(self, encode: Encode) -> "tuple[list[dict[str, Any]], DataFrame]":
        """`look` with intervals, and each pair: pairs, task, split, subset, row, gold, cosine, first, second."""
        import pandas

        vectors = encode(self.texts)
        rows, tables = [], []
        for at, pairs in enumerate(self.pair_sets):
            rows.append(self._row(at, vectors, interval=True))
            tables.append(
                pandas.DataFrame(
                    {
                        "pairs": pairs.name,
                        "task": pairs.task,
                        "split": pairs.split,
                        "subset": pairs.subsets,
                        "row": np.arange(len(pairs)),
                        "gold": np.asarray(pairs.gold, dtype=np.float64),
                        "cosine": self._cosines(at, vectors),
                        "first": pairs.first,
                        "second": pairs.second,
                    }
                )
            )
        return rows, pandas.concat(tables, ignore_index=True) if tables else pandas.DataFrame()

    def _cosines(self, at: int, vectors: np.ndarray) -> np.ndarray:
        from workbench.metrics import checked_cosines

        first, second, _ = self.rows[at]
        return np.asarray(checked_cosines(vectors[first], vectors[second]), dtype=np.float64)

    def _row(self, at: int, vectors: np.ndarray, interval: bool) -> dict[str, Any]:
        from workbench.statistics.bootstrap import spearman_interval
        from workbench.statistics.correlation import spearman

        pairs = self.pair_sets[at]
        first, second, used = self.rows[at]
        cosines = self._cosines(at, vectors)
        row: dict[str, Any] = {"pairs": pairs.name, "task": pairs.task, "split": pairs.split, "n": len(pairs)}
        why = undefined(cosines, np.asarray(pairs.gold))
        row["spearman"] = (math.nan if interval else 0.0) if why else float(spearman(cosines, pairs.gold))
        if interval:
            low, high = (math.nan, math.nan) if why else spearman_interval(cosines, pairs.gold)
            row |= {"low": float(low), "high": float(high)}
            row |= {"undefined": f"Spearman is undefined on {pairs.name}: {why}."} if why else {}
            row["isoscore"] = _isoscore(vectors[used])
        mask, threshold = positives(pairs)
        partners = vectors[first[mask]], vectors[second[mask]]
        return {
            **row,
            **geometry(vectors[used], *partners, f"{pairs.name}, gold > {threshold:g}"),
            "sentences": len(used),
        }
