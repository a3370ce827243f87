"""What a run wrote down when it ended: its scores and cosines, for which no encoder has to be loaded again."""

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from workbench.core.errors import BadModel
from workbench.models.layout import read_layout
from workbench.models.prompts import said_of_prompt
from workbench.scoring.pair_scores import PairScore, negative, pair_table
from workbench.statistics.linked_pairs import count_groups
from workbench.store import evaluations, names
from workbench.targets.target import Target

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

    from workbench.data.pair_sets import PairSet
    from workbench.store.shapes import Score

_NEEDED = (
    "spearman",
    "low",
    "high",
    "uniformity",
    "mean_cosine",
    "alignment_on",
    "sentences",
    "precision",
    "max_length",
)


class Stored(NamedTuple):
    """A target on one pair set, as its run evaluated it."""

    score: PairScore
    precision: str
    max_length: int
    cosines: "DataFrame"
    """As `Scored.tables` returns it."""


def stored_cosines(target: Target, pairs: "PairSet") -> "NDArray[np.float64] | None":
    """The cosine of each pair, -1..1, if the run of the target evaluated this very checkpoint on these very pairs.

    None for a target with another pooling or a transform, and for a training that is not over.
    """
    if _row(target, pairs) is None or target.run is None:
        return None
    first, second = _hashes(tuple(pairs.first)), _hashes(tuple(pairs.second))
    return evaluations.cosines(target.run.folder, target.checkpoint, pairs.name, first, second, np.asarray(pairs.gold))


def stored(target: Target, pairs: "PairSet", *, exact: bool = False) -> Stored | None:
    """All that was stored of a target on a pair set; None as for `stored_cosines`, and if a score is missing, or with `exact`
    was sampled.
    """
    row = _row(target, pairs)
    if row is None or any(_missing(row.get(name)) for name in _NEEDED) or (exact and "uniformity_error" in row):
        return None
    if (cosines := stored_cosines(target, pairs)) is None:
        return None
    columns = {*PairScore.__required_keys__, *PairScore.__optional_keys__}
    score = {"alignment": None, "collapsed": False, **{name: value for name, value in row.items() if name in columns}}
    if said := negative(
        pairs.name, row["high"] or 0.0, len(pairs)
    ):  # a run may have been evaluated before this was said
        score["negative"] = said
    score.setdefault("linked_groups", count_groups(pairs.first, pairs.second))  # or before these were counted
    return Stored(cast(PairScore, score), str(row["precision"]), int(row["max_length"]), pair_table(pairs, cosines))


def stored_notices(target: Target) -> list[str]:
    """What belongs beside scores that a run stored: the prompt of its encoder, as its model says. No weights are loaded."""
    folder = target.run.model if target.run else None
    try:
        return said_of_prompt(target.label, read_layout(folder).prompt) if folder else []
    except BadModel:  # reported by whoever loads it
        return []


@lru_cache(maxsize=8)
def _hashes(texts: tuple[str, ...]) -> list[str]:
    """The hashes of sentences that are looked up in one run after another."""
    return [evaluations.text_hash(text) for text in texts]


def _missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _row(target: Target, pairs: "PairSet") -> "Score | None":
    """The scores of a target as they stand in the folder of its run."""
    run = target.run
    if run is None or target.pooling or target.transform or run.live:
        return None
    step, alone = run.step_of(target.checkpoint), run.has_scores_alone(target.checkpoint)
    for row in evaluations.score_rows(run.folder / names.EVALUATIONS / evaluations.SCORES):
        at = step if alone else row.get("step")
        named = (row["suite"], row["checkpoint"], row.get("pairs"), row.get("n"), at)
        if named == ("pairs", target.checkpoint, pairs.name, len(pairs), step):
            return row
    return None
