"""The sentences of a pair set."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.verbs._fields import PairRows, Pairs
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class PairTexts:
    """The distinct sentences of a pair set, or of some of its pairs, evenly thinned to at most so many."""

    pairs: Annotated[str, Pairs()] = "demo:dev"
    rows: Annotated[tuple[int, ...], PairRows()] = ()
    most: Annotated[
        int, Knob(1, 1_000_000, 1, "Maximum number of sentences; of more, every second, third, ... is used.")
    ] = 1000


@dataclass(frozen=True)
class Sentences:
    """Distinct sentences in the order of their pair set."""

    texts: list[str]
    step: int
    """Every so many of the set's distinct sentences were taken; 1 is all."""


def run(request: PairTexts, models: "ModelCache", on_progress: Progress) -> Sentences:
    """The sentences in the order of the set, and the step of the thinning."""
    from workbench.data.pair_sets import rows_of
    from workbench.data.pairs import load_pairs

    on_progress(0.0, "Reading the pairs")
    texts = list(dict.fromkeys(rows_of(load_pairs(request.pairs), request.rows).texts()))
    step = max(1, -(-len(texts) // request.most))
    return Sentences(texts[::step], step)


VERB = Verb(PairTexts, run, doing="Reading the pairs")
