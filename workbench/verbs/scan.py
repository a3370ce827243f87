"""Scanning a corpus with augmentations."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.compute.model_cache import AboutScores
from workbench.core.method import Knob
from workbench.core.progress import Progress, rising
from workbench.previews import corpus_scan
from workbench.verbs._over_corpus import OverCorpus, common, inside
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Scan(OverCorpus):
    """Apply each augmentation to a sample of a corpus: how often it changes a text, by how much, and the similarity that remains.

    Prefer `augment` to see draws from given texts, and `cost` for an estimate of the time.
    """

    n: Annotated[int, Knob(2, corpus_scan.MOST_TEXTS, 1, "Texts of the stratified sample.")] = corpus_scan.SAMPLE


class ScannedAbout(corpus_scan.ScanAbout, AboutScores):
    """The sample and its references, and what was encoded with."""


@dataclass(frozen=True)
class Scanned:
    """The results of a scan."""

    table: "DataFrame"
    """One row per pipeline, with the columns of `workbench.previews.corpus_scan.COLUMNS`; intervals are 95 %."""
    extremes: "DataFrame"
    """The least and the most similar changed texts of each pipeline."""
    about: ScannedAbout
    """Sample, target, and the cosines of dropout pairs and of random pairs."""


def check(request: OverCorpus) -> None:
    """The pattern must compile."""
    request.protection.check()


def run(request: Scan, models: "ModelCache", on_progress: Progress) -> Scanned:
    """A table with one row per pipeline, extreme examples, and references for the similarity."""
    target, on_progress = request.target, rising(on_progress)
    scanned = corpus_scan.scan(
        request.corpus,
        list(request.pipelines),
        lambda texts, on_progress: models.vectors(target, texts, on_progress),
        lambda texts: inside(request, models, on_progress, texts),
        on_progress,
        n=request.n,
        cache=models.folder.cache,
        # The results of a pipeline do not depend on the list of pipelines.
        stem=VERB.stem(request, without="pipelines"),
        **common(request, models, on_progress),
    )
    about: ScannedAbout = {**scanned.about, **models.about(target, models.fit(target, on_progress).on)}
    return Scanned(scanned.table, scanned.extremes, about)


def slow(request: Scan) -> bool:
    """It encodes thousands of texts."""
    return True


VERB = Verb(Scan, run, check=check, slow=slow, doing="Scanning the sample")
