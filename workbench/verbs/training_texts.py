"""Identifying the texts that a run would train on."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core import presets
from workbench.core.config import Corpus as CorpusConfig
from workbench.core.paths import existing
from workbench.core.progress import Progress
from workbench.data.sources import split_source
from workbench.verbs._fields import Corpus, Words
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache

SLOW_BYTES = 20_000_000
"""Reading larger files takes seconds, which quick requests should not wait for."""


@dataclass(frozen=True)
class TrainingTexts:
    """Identify the texts that a run would train on by their hash, and check that the corpus has what the recipe needs.

    Prefer `corpus_report` for what the corpus contains.
    """

    corpus: Annotated[str, Corpus("The corpus, as for `train` and `pretrain`.")] = "demo"
    roles: Annotated[tuple[str, ...], Words("Columns of texts: text, positive, negative, document, next, article.")] = (
        "text",
    )
    numbers: Annotated[tuple[str, ...], Words("Columns of numbers: gold, label.")] = ()
    recipe: Annotated[str, "The recipe, for messages."] = presets.RECIPE


@dataclass(frozen=True)
class IdentifiedTexts:
    """The fields of `workbench.core.config.Corpus`."""

    source: str
    name: str
    sha256: str
    rows: int
    """0 for articles, which are counted when they are tokenised."""


def run(request: TrainingTexts, models: "ModelCache", on_progress: Progress) -> IdentifiedTexts:
    """Source, name, SHA-256 of the texts, and number of rows; an error if the corpus lacks a column."""
    from workbench.preflight.corpora import identified

    on_progress(0.0, "Reading the corpus")
    corpus = identified(request.corpus, request.roles, request.numbers, recipe=request.recipe, on_progress=on_progress)
    return IdentifiedTexts(corpus.source, corpus.name, corpus.sha256, corpus.rows)


def slow(request: TrainingTexts) -> bool:
    """Large files, a download, or pair sets in folders take long."""
    corpus = CorpusConfig(request.corpus)
    if corpus.of_pairs or request.corpus.startswith("hf:"):
        return True
    files = [file for part in corpus.files if (file := existing(split_source(part)[0]))]
    return sum(file.stat().st_size for file in files) > SLOW_BYTES


VERB = Verb(TrainingTexts, run, slow=slow, doing="Reading the corpus")
