"""How many of the sentences that a model is scored on were among the texts it was trained on."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.core.errors import WorkbenchError
from workbench.data.marks import SHARE, number, seen_words
from workbench.store.run import Run
from workbench.store.stages import first_of

if TYPE_CHECKING:
    from workbench.data.pair_sets import PairSet
    from workbench.data.texts import CorpusTexts
    from workbench.targets.target import Target

Seen = Mapping[str, Any] | None
"""A row of `data.report.overlaps`; None where it is not known, or nothing was trained."""


def seen_by(target: "Target", sets: "Sequence[PairSet]") -> list[Seen]:
    """For each pair set what the model of a target has seen of it."""
    if target.run is None:
        first = first_of(target.backbone) if target.backbone else None
        return seen(first, sets) if first else [None] * len(sets)
    begun = target.checkpoint == "step0" or target.run.step_of(target.checkpoint) == 0
    return seen(target.run, sets, trained=not begun)


def seen(run: Run, sets: "Sequence[PairSet]", *, trained: bool = True) -> list[Seen]:
    """For each pair set what a run has seen of it, or without `trained` what its backbone had: that may be a run's model.

    Where several stages were trained, what the one says that saw most. A pretraining reads articles, and none of a data
    set of the Hub is fetched for this: of neither it is known.
    """
    found: list[Seen] = _own(run, sets) if trained else [None] * len(sets)
    first = None if run.problem else first_of(run.config.model.backbone)
    if first is None:
        return found
    both = zip(found, seen(first, sets), strict=True)
    return [max(filter(None, pair), key=lambda one: (_gold(one), float(one["share"])), default=None) for pair in both]


def _own(run: Run, sets: "Sequence[PairSet]") -> list[Seen]:
    # The report on the corpus knows the sets that the run was made with, also where the corpus is gone.
    rows = [row for row in run.overlap if "share" in row]
    reported = {(row.get("name"), row.get("pairs")): row for row in rows}
    known: dict[int, Seen] = {}
    for place, one in enumerate(sets):
        if row := reported.get((one.name, len(one))):
            known[place] = {"transductive": row["share"] >= SHARE, **row}
    rest = [place for place in range(len(sets)) if place not in known]
    known |= dict(zip(rest, _read(run, [sets[place] for place in rest]), strict=True))
    return [known[place] for place in range(len(sets))]


def _read(run: Run, sets: "Sequence[PairSet]") -> list[Seen]:
    """The corpus read once more, if it still is the one that was trained on."""
    from workbench.data.report import overlaps
    from workbench.recipes.fits import corpus_of

    nothing: list[Seen] = [None] * len(sets)
    if not sets or run.problem or run.config.pretrains or "hf:" in run.config.corpus.source:
        return nothing
    try:
        texts = corpus_of(run.config)
    except WorkbenchError:
        return nothing
    if texts.sha256 != run.config.corpus.sha256:
        return nothing
    return list(overlaps(texts.texts, sets, rated(texts)))


def columns(one: Mapping[str, Any] | None) -> dict[str, Any]:
    """What stands beside a score; nothing where it is not known."""
    if not one:
        return {}
    counts = {"sentences_seen": one["common"], "seen_of": one["sentences"], "seen_share": one["share"]}
    return {**counts, "transductive": bool(one["transductive"]), "gold_seen": _gold(one)}


def _gold(one: Mapping[str, object]) -> int:
    return number(one.get("pairs_with_gold"))  # reports of older runs do not have it


def said(one: Mapping[str, Any] | None) -> list[str]:
    """What must be known of a score, where any of its sentences were seen."""
    return [seen_words(one["name"], one["common"], one["sentences"], _gold(one))] if one and one["common"] else []


def rated(texts: "CorpusTexts") -> "Iterable[tuple[str, str]]":
    """The pairs that a corpus, as it is trained on, has with a score."""
    if "gold" not in texts.numbers:
        return []
    return zip(texts.columns["text"], texts.columns["positive"], strict=True)
