"""Train-test overlap: how many of the sentences and pairs that a model is scored on were among its training texts."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from workbench.core.config import RunConfig
from workbench.core.errors import WorkbenchError
from workbench.data.marks import SHARE, number, seen_words
from workbench.data.references import file_stamps
from workbench.store.run import Run
from workbench.store.stages import first_of

if TYPE_CHECKING:
    from workbench.data.pair_sets import PairSet
    from workbench.data.texts import CorpusTexts
    from workbench.targets.target import Target

Overlap = Mapping[str, Any]
"""A row of `data.report.overlaps`."""


class OverlapColumns(TypedDict, total=False):
    """What stands beside a score; empty where the overlap is not known."""

    sentences_seen: int
    seen_of: int
    seen_share: float
    transductive: bool
    pairs_seen: int
    """Whole pairs: those whose sentences were both among the training texts."""
    gold_seen: int
    """Pairs that were trained on with their gold score."""


def overlaps_of(target: "Target", sets: "Sequence[PairSet]") -> "list[Overlap | None]":
    """For each pair set, its overlap with the training texts of a target; None where unknown or nothing was trained."""
    if target.run is None:
        first = first_of(target.backbone) if target.backbone else None
        return overlaps_with(first, sets) if first else [None] * len(sets)
    untrained = target.checkpoint == "step0" or target.run.step_of(target.checkpoint) == 0
    return overlaps_with(target.run, sets, trained=not untrained)


def overlaps_with(run: Run, sets: "Sequence[PairSet]", *, trained: bool = True) -> "list[Overlap | None]":
    """For each pair set, its overlap with the training texts of a run; without `trained`, of its backbone alone.

    The backbone may be the model of another run: of several stages, the largest overlap is returned. None where it is
    unknown: for a pretraining, which reads articles, and for data sets of the Hub, which are not fetched for this.
    """
    rows: list[Overlap | None] = _of_stage(run, sets) if trained else [None] * len(sets)
    first = None if run.problem else first_of(run.config.model.backbone)
    if first is None:
        return rows
    both = zip(rows, overlaps_with(first, sets), strict=True)
    return [max(filter(None, pair), key=lambda row: (_gold(row), float(row["share"])), default=None) for pair in both]


def _of_stage(run: Run, sets: "Sequence[PairSet]") -> "list[Overlap | None]":
    # The corpus report of the run has the sets that the run names, even where the corpus is gone.
    rows = [row for row in run.overlap if "share" in row]
    reported = {(row.get("name"), row.get("pairs")): row for row in rows}
    known: dict[int, Overlap | None] = {}
    for index, pairs in enumerate(sets):
        if row := reported.get((pairs.name, len(pairs))):
            known[index] = {"transductive": row["share"] >= SHARE, **row}
    rest = [index for index in range(len(sets)) if index not in known]
    known |= dict(zip(rest, _read(run, [sets[index] for index in rest]), strict=True))
    return [known[index] for index in range(len(sets))]


def _read(run: Run, sets: "Sequence[PairSet]") -> "list[Overlap | None]":
    """Overlaps computed by reading the corpus again, if it is still the one that was trained on."""
    unknown: list[Overlap | None] = [None] * len(sets)
    if not sets or run.problem or run.config.pretrains or "hf:" in run.config.corpus.source:
        return unknown
    try:
        sha256, found = _compared(run.config, sets)
    except WorkbenchError:
        return unknown
    return list(found) if sha256 == run.config.corpus.sha256 else unknown


_COMPARED: dict[str, tuple[str, "list[Overlap]"]] = {}
"""What `_compared` found, the last ones."""
_MOST_COMPARED = 32


def _compared(config: RunConfig, sets: "Sequence[PairSet]") -> "tuple[str, list[Overlap]]":
    """The hash of the texts in the corpus of a run, and their overlap with each pair set. Kept as long as no file of the corpus
    changes: a million texts take ten seconds, and the seeds of a method have one corpus.

    Raises:
        WorkbenchError: the corpus cannot be read, or lacks a column.
    """
    from workbench.data.report import overlaps
    from workbench.recipes.fits import corpus_of, wanted

    corpus = config.corpus
    read = [corpus.source, *map(sorted, wanted(config.terms)), *map(file_stamps, [corpus.source, *corpus.files])]
    key = json.dumps([read, [[pairs.name, pairs.task, pairs.split, pairs.sha256] for pairs in sets]])
    if key not in _COMPARED:
        texts = corpus_of(config)
        _COMPARED[key] = texts.sha256, list(overlaps(texts.texts, sets, rated(texts)))
        for old in list(_COMPARED)[:-_MOST_COMPARED]:
            _COMPARED.pop(old, None)
    return _COMPARED[key]


def columns(overlap: Overlap | None) -> OverlapColumns:
    """The columns of an overlap beside a score; none where it is not known."""
    if not overlap:
        return {}
    return {
        "sentences_seen": overlap["common"],
        "seen_of": overlap["sentences"],
        "seen_share": overlap["share"],
        "transductive": bool(overlap["transductive"]),
        "pairs_seen": number(overlap.get("pairs_with_both")),
        "gold_seen": _gold(overlap),
    }


def _gold(overlap: Overlap) -> int:
    return number(overlap.get("pairs_with_gold"))  # absent in the reports of older runs


def notices(overlap: Overlap | None) -> list[str]:
    """The notice beside a score whose sentences overlap with the training texts; empty without overlap."""
    if not overlap or not overlap["common"]:
        return []
    return [seen_words(overlap["name"], overlap["common"], overlap["sentences"], _gold(overlap))]


def rated(texts: "CorpusTexts") -> "Iterable[tuple[str, str]]":
    """The pairs of a corpus that are trained on with a gold score."""
    if "gold" not in texts.numbers:
        return []
    return zip(texts.columns["text"], texts.columns["positive"], strict=True)
