"""Sampling texts of a corpus."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.verbs._fields import Corpus
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Sample:
    """Draw distinct texts of a corpus uniformly."""

    corpus: Annotated[str, Corpus()] = "demo"
    n: Annotated[int, Knob(1, 1000, 1, "Texts drawn.")] = 10
    seed: Annotated[int, "Equal seeds give equal samples."] = 0


def run(request: Sample, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """Columns row, text; at most `n` rows, in the order of the corpus."""
    from workbench.previews.text_preview import resources_of, sample, stamp

    on_progress(0.0, "Reading the corpus")
    texts = resources_of(request.corpus, stamp(request.corpus), models.device).corpus
    return sample(texts, request.n, request.seed)


def slow(request: Sample) -> bool:
    """A corpus may be large."""
    return request.corpus != "demo"


VERB = Verb(Sample, run, slow=slow, doing="Reading the set")
