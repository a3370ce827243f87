"""A target on one set of scored pairs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from workbench.core import presets
from workbench.core.progress import Progress
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Pairs, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Score:
    """How well a target ranks scored pairs, and what its space is like on the same sentences."""

    target: Annotated[Target, Encoded()] = unparsed(presets.TARGET)
    pairs: Annotated[str, Pairs()] = "demo:dev"


@dataclass(frozen=True)
class PairScores:
    """The scores of a target on a pair set, and each pair."""

    scores: dict[str, Any]
    """One row: pairs, task, split, n, spearman (-1..1) with low and high (95 %), alignment, alignment_on, uniformity,
    mean_cosine, isoscore, collapsed, sentences, target, precision, max_length, fitted_on, reference, scale, notices."""
    cosines: "DataFrame"
    """Columns pairs, task, split, subset, row, gold, cosine, sentence1, sentence2."""


def run(request: Score, models: "ModelCache", on_progress: Progress) -> PairScores:
    """The scores in fp32, and the cosine of each pair."""
    from workbench.data.pairs import load_pairs
    from workbench.scoring.pair_scores import Scored
    from workbench.scoring.train_test_overlap import columns, said, seen_by

    on_progress(0.0, "Reading the pairs")
    pair_set = load_pairs(request.pairs)
    scored = Scored([pair_set])
    fitted = models.fit(request.target, on_progress, scored=scored.texts)
    rows, cosines = scored.tables(lambda texts: fitted.vectors(texts, on_progress))
    cosines = cosines.rename(columns={"first": "sentence1", "second": "sentence2"})
    trained = seen_by(request.target, [pair_set])[0]
    scores = {
        **rows[0],
        **columns(trained),
        **models.about(request.target, fitted.on),
        "reference": request.pairs,
        "scale": list(pair_set.scale),
        "notices": [*pair_set.notices, *fitted.said_of(scored.texts), *said(trained)],
    }
    return PairScores(scores, cosines)


VERB = Verb(Score, run, doing="Encoding and scoring the pairs")
