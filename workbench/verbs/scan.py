"""What augmentations do to a corpus."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.previews import corpus_scan
from workbench.verbs._over_corpus import OverCorpus, common, inside
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Scan(OverCorpus):
    """What each augmentation does to a sample of a corpus, and what similarity it keeps."""

    n: Annotated[int, Knob(2, corpus_scan.MOST_TEXTS, 1, "Texts of the stratified sample.")] = corpus_scan.SAMPLE


@dataclass(frozen=True)
class Scanned:
    """What was found."""

    table: "DataFrame"
    """A row for each pipeline, see `previews.corpus_scan.COLUMNS`."""
    extremes: "DataFrame"
    """The least and the most similar changed texts of each."""
    about: dict[str, Any]
    """Sample, target, and the similarity of dropout pairs and of random pairs."""


def check(request: OverCorpus) -> None:
    """A pattern that can be read."""
    request.protection.check()


def run(request: Scan, models: "ModelCache", on_progress: Progress) -> Scanned:
    """A table of all pipelines, the extremes, and what the similarity is held against."""
    target = request.target
    found = corpus_scan.scan(
        request.corpus,
        list(request.pipelines),
        lambda texts, on_progress: models.vectors(target, texts, on_progress),
        lambda texts: inside(request, models, on_progress, texts),
        on_progress,
        n=request.n,
        kept=models.folder.cache,
        # What was found for one pipeline is kept under everything but the list of pipelines.
        stem=VERB.stem(request, without="pipelines"),
        **common(request, models, on_progress),
    )
    about = {**found["about"], **models.about(target, models.fit(target, on_progress).on)}
    return Scanned(found["table"], found["extremes"], about)


def slow(request: Scan) -> bool:
    """Thousands of texts."""
    return True


VERB = Verb(Scan, run, check=check, slow=slow, doing="Scanning the sample")
