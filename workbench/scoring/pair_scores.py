"""Scores of an encoder on scored pairs: rank correlation, and the geometry of the same sentences."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict

import numpy as np

from workbench.core.errors import BadData
from workbench.statistics.bootstrap import FEW_PAIRS

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.data.pair_sets import PairSet

Encode = Callable[[list[str]], np.ndarray]
"""Distinct texts to (texts, dim)."""

COLLAPSE, FLAT = 0.99, -0.05
"""A space has collapsed where the mean cosine of random pairs, or the uniformity, is above this."""


class SpaceMetrics(TypedDict):
    """The geometry of the vectors of a pair set."""

    alignment: float | None
    """Mean squared distance of partners on the unit sphere, 0..4; None without partners."""
    alignment_on: str
    """What the partners are: values under different names must not be compared."""
    uniformity: float
    """-4..0; lower is more spread out."""
    uniformity_error: NotRequired[float]
    """Its standard error where it was sampled; see `workbench.metrics.uniformity`."""
    mean_cosine: float
    """Of random pairs, -1..1."""
    collapsed: bool


class PairScore(SpaceMetrics):
    """The scores of an encoder on one pair set."""

    pairs: str
    task: str
    split: str
    n: int
    """Pairs."""
    sentences: int
    """Distinct sentences, over which the geometry is computed."""
    spearman: float
    """-1..1, between cosines and gold scores."""
    low: NotRequired[float]
    """Of the 95 % interval of `spearman`, by bootstrap over pairs."""
    high: NotRequired[float]
    linked_groups: NotRequired[int]
    """Groups of pairs that no sentence links; with fewer than pairs the interval can be too narrow."""
    undefined: NotRequired[str]
    """Why there is no correlation."""
    negative: NotRequired[str]
    """What a correlation may mean whose whole interval is below 0."""
    isoscore: NotRequired[float | None]
    """0..1; None for a space that has collapsed."""


def negative(pairs: str, high: float, n: int) -> str:
    """What a correlation on `n` pairs may mean whose interval ends at `high`; empty unless all of it lies below 0, and for a
    handful of pairs.
    """
    return (
        f"Spearman on {pairs} is negative beyond chance: do its high scores mean unlike, as in STS22?"
        if high < 0 and n >= FEW_PAIRS
        else ""
    )


def positives(pairs: "PairSet") -> tuple[np.ndarray, float]:
    """Which pairs count as partners, as bool (pairs,), and the threshold that their gold score exceeds.

    For the threshold see `threshold`.
    """
    limit = threshold(pairs.scale)
    return np.asarray(pairs.gold) > limit, limit


def threshold(scale: tuple[float, float]) -> float:
    """The gold score that partners exceed: four fifths of the highest score, that is gold > 4 on 0..5 and on 1..5.

    On a scale that starts below 0 it is four fifths of the way up from its lowest score.

    >>> threshold((0.0, 5.0)), threshold((1.0, 5.0)), threshold((-1.0, 1.0))
    (4.0, 4.0, 0.6000000000000001)
    """
    low, high = scale
    return 0.8 * high if low >= 0 else low + 0.8 * (high - low)


def geometry(
    vectors: np.ndarray, a: np.ndarray, b: np.ndarray, alignment_on: str, *, exact: bool = False
) -> SpaceMetrics:
    """Uniformity and mean cosine of `vectors` (n, dim), and alignment of the partners `a` and `b` (m, dim).

    `exact` takes uniformity over all pairs of vectors, however many.
    """
    from workbench.metrics.alignment import alignment
    from workbench.metrics.mean_cosine import mean_cosine
    from workbench.metrics.uniformity import estimate

    mean, (spread, error) = mean_cosine(vectors), estimate(vectors, exact=exact)
    space: SpaceMetrics = {
        "alignment": alignment(a, b) if len(a) else None,
        "alignment_on": alignment_on,
        "uniformity": spread,
        "mean_cosine": mean,
        "collapsed": bool(mean > COLLAPSE or spread > FLAT),
    }
    if error is not None:
        space["uniformity_error"] = error
    return space


def undefined(cosines: np.ndarray, gold: np.ndarray) -> str:
    """Why the rank correlation is undefined; empty where it is defined.

    >>> undefined(np.array([0.1, 0.2]), np.array([3.0, 3.0]))
    'all gold scores are equal'
    """
    if len(gold) < 2:
        return "there are fewer than two pairs"
    return "all cosines are equal" if np.ptp(cosines) == 0 else "all gold scores are equal" if np.ptp(gold) == 0 else ""


def pair_table(pairs: "PairSet", cosines: np.ndarray) -> "DataFrame":
    """One row per pair: pairs, task, split, subset, row, gold, cosine, first and second (its sentences)."""
    import pandas

    return pandas.DataFrame(
        {
            "pairs": pairs.name,
            "task": pairs.task,
            "split": pairs.split,
            "subset": pairs.subsets,
            "row": np.arange(len(pairs)),
            "gold": np.asarray(pairs.gold, dtype=np.float64),
            "cosine": cosines,
            "first": pairs.first,
            "second": pairs.second,
        }
    )


def _isoscore(vectors: np.ndarray) -> float | None:
    """IsoScore, 0..1; None for a collapsed space or a single vector."""
    from workbench.metrics.isoscore import isoscore

    try:
        return isoscore(vectors)
    except BadData:
        return None


class Scored:
    """Pair sets with their distinct sentences numbered once, so that each evaluation encodes each sentence once.

    `exact` takes uniformity over all pairs of sentences, however many.
    """

    def __init__(self, pair_sets: "Sequence[PairSet]", *, exact: bool = False) -> None:
        self.pair_sets, self.exact = list(pair_sets), exact
        row_of: dict[str, int] = {}
        self.rows: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        for pairs in self.pair_sets:
            first = np.array([row_of.setdefault(text, len(row_of)) for text in pairs.first], dtype=np.int64)
            second = np.array([row_of.setdefault(text, len(row_of)) for text in pairs.second], dtype=np.int64)
            self.rows.append((first, second, np.unique(np.concatenate([first, second]))))
        self.texts = list(row_of)

    def evaluate(self, encode: Encode, *, interval: bool = False) -> list[PairScore]:
        """The scores on each pair set, with `interval` also the 95 % interval, IsoScore and why a correlation is undefined.

        An undefined correlation is NaN with `interval`; without, as in the probes of a training, it is 0, since the choice
        of the best step needs a number. Prefer `tables` where the cosine of each pair is wanted.
        """
        vectors = encode(self.texts)
        return [self._row(index, vectors, interval) for index in range(len(self.pair_sets))]

    def tables(self, encode: Encode) -> "tuple[list[PairScore], DataFrame]":
        """`evaluate` with intervals, and a table with one row per pair, see `pair_table`."""
        import pandas

        vectors = encode(self.texts)
        rows, tables = [], []
        for index, pairs in enumerate(self.pair_sets):
            rows.append(self._row(index, vectors, interval=True))
            tables.append(pair_table(pairs, self.cosines(vectors, index)))
        return rows, pandas.concat(tables, ignore_index=True) if tables else pandas.DataFrame()

    def cosines(self, vectors: np.ndarray, index: int = 0) -> np.ndarray:
        """The cosine of each pair of a set, (pairs,), from the vectors of `texts`.

        Raises:
            BadData: vectors that are not finite.
        """
        from workbench.metrics import checked_cosines

        first, second, _ = self.rows[index]
        return np.asarray(checked_cosines(vectors[first], vectors[second]), dtype=np.float64)

    def _row(self, index: int, vectors: np.ndarray, interval: bool) -> PairScore:
        from workbench.statistics.bootstrap import spearman_interval
        from workbench.statistics.correlation import spearman
        from workbench.statistics.linked_pairs import count_groups

        pairs = self.pair_sets[index]
        first, second, used = self.rows[index]
        cosines = self.cosines(vectors, index)
        why = undefined(cosines, np.asarray(pairs.gold))
        mask, limit = positives(pairs)
        partners = vectors[first[mask]], vectors[second[mask]]
        space = geometry(vectors[used], *partners, f"{pairs.name}, gold > {limit:g}", exact=self.exact)
        row: PairScore = {
            "pairs": pairs.name,
            "task": pairs.task,
            "split": pairs.split,
            "n": len(pairs),
            "spearman": (math.nan if interval else 0.0) if why else float(spearman(cosines, pairs.gold)),
            "alignment": space["alignment"],
            "alignment_on": space["alignment_on"],
            "uniformity": space["uniformity"],
            "mean_cosine": space["mean_cosine"],
            "collapsed": space["collapsed"],
            "sentences": len(used),
        }
        if "uniformity_error" in space:
            row["uniformity_error"] = space["uniformity_error"]
        if interval:
            low, high = (math.nan, math.nan) if why else spearman_interval(cosines, pairs.gold)
            row["low"], row["high"] = float(low), float(high)
            row["linked_groups"] = count_groups(pairs.first, pairs.second)
            row["isoscore"] = _isoscore(vectors[used])
            if why:
                row["undefined"] = f"Spearman is undefined on {pairs.name}: {why}."
            elif said := negative(pairs.name, float(high), len(pairs)):
                row["negative"] = said
        return row
