"""Scoring a target on one pair set."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.compute.model_cache import AboutScores
from workbench.core import presets
from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.metrics.uniformity import EXACT
from workbench.scoring.pair_scores import PairScore, Scored
from workbench.scoring.train_test_overlap import OverlapColumns
from workbench.store.openings import note
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Pairs, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache
    from workbench.scoring.stored import Stored


@dataclass(frozen=True)
class Score:
    """Score a target on one set of scored pairs: rank correlation, and the geometry of the same sentences.

    Prefer `evaluate` for the tasks of a suite, such as all of STS, and `compare` for several targets.
    """

    target: Annotated[Target, Encoded()] = unparsed(presets.TARGET)
    pairs: Annotated[str, Pairs()] = "demo:dev"
    exact: Annotated[bool, Knob(help=EXACT)] = False


class TargetScores(PairScore, OverlapColumns, AboutScores):
    """The scores of a target on one pair set."""

    reference: str
    """The pair set as it was named."""
    scale: list[float]
    """The lowest and the highest gold score that the set may have."""
    notices: list[str]


@dataclass(frozen=True)
class PairScores:
    """The scores of a target on a pair set, and the cosine of each pair."""

    scores: TargetScores
    """pairs, task, split, n, spearman (-1..1) with low and high (95 %) and linked_groups (of pairs with sentences in common; with
    fewer than pairs the interval can be too narrow), alignment, alignment_on, uniformity (with
    uniformity_error where it was sampled), mean_cosine, isoscore, collapsed, sentences, target, precision, max_length,
    fitted_on, reference, scale, notices."""
    cosines: "DataFrame"
    """Columns pairs, task, split, subset, row, gold, cosine, sentence1, sentence2; one row per pair."""


def run(request: Score, models: "ModelCache", on_progress: Progress) -> PairScores:
    """The scores, computed in fp32, and a table of all pairs: those that the run stored, if it evaluated these pairs."""
    from workbench.data.pairs import load_pairs
    from workbench.scoring.stored import stored, stored_notices
    from workbench.scoring.train_test_overlap import columns, notices, overlaps_of

    on_progress(0.0, "Reading the pairs")
    pair_set = load_pairs(request.pairs)
    note(models.folder, [pair_set], [request.target.text], VERB.id)
    about: AboutScores
    if kept := stored(request.target, pair_set, exact=request.exact):
        score, cosines, said = kept.score, kept.cosines, stored_notices(request.target)
        about = about_stored(request.target, kept)
    else:
        scored = Scored([pair_set], exact=request.exact)
        fitted = models.fit(request.target, on_progress, scored=scored.texts)
        (score,), cosines = scored.tables(lambda texts: fitted.vectors(texts, on_progress))
        about = models.about(request.target, fitted.on)
        said = [*models.prompt_notices(request.target), *fitted.notices_for(scored.texts)]
    overlap = overlaps_of(request.target, [pair_set])[0]
    scores: TargetScores = {
        **score,
        **columns(overlap),
        **about,
        "reference": request.pairs,
        "scale": list(pair_set.scale),
        "notices": [*pair_set.notices, *said, *notices(overlap)],
    }
    return PairScores(scores, cosines.rename(columns={"first": "sentence1", "second": "sentence2"}))


def about_stored(target: Target, kept: "Stored") -> AboutScores:
    """What belongs beside the scores that a run stored; nothing was fitted for them."""
    return {"target": target.text, "precision": kept.precision, "max_length": kept.max_length, "fitted_on": ""}


VERB = Verb(Score, run, doing="Encoding and scoring the pairs")
