"""Which texts a run would train on."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core import presets
from workbench.core.config import Corpus as CorpusConfig
from workbench.core.paths import existing
from workbench.core.progress import Progress
from workbench.data.files import split_source
from workbench.verbs._fields import Corpus, Words
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache

SLOW_BYTES = 20_000_000
"""A larger file takes seconds to read: nobody should wait for a picture meanwhile."""


@dataclass(frozen=True)
class TrainingTexts:
    """Which texts a run would train on, identified by their hash, and whether the corpus has what the recipe needs."""

    corpus: Annotated[str, Corpus("As `train` and `pretrain` take it.")] = "demo"
    roles: Annotated[tuple[str, ...], Words("Columns of texts: text, positive, negative, document, next, article.")] = (
        "text",
    )
    numbers: Annotated[tuple[str, ...], Words("Columns of numbers: gold, label.")] = ()
    recipe: Annotated[str, "Whose needs these are, for the message."] = presets.RECIPE


@dataclass(frozen=True)
class IdentifiedTexts:
    """The fields of a configuration's `Corpus`."""

    source: str
    name: str
    sha256: str
    rows: int
    """0 for articles, which are counted when they are tokenised."""


def run(request: TrainingTexts, models: "ModelCache", on_progress: Progress) -> IdentifiedTexts:
    """Source, name, SHA-256 of the texts, and number of rows; refused where the corpus lacks a column."""
    from workbench.preflight.corpora import identified

    on_progress(0.0, "Reading the corpus")
    found = identified(request.corpus, request.roles, request.numbers, recipe=request.recipe, on_progress=on_progress)
    return IdentifiedTexts(found.source, found.name, found.sha256, found.rows)


def slow(request: TrainingTexts) -> bool:
    """Whether there is much to read: large files, a download, or pair sets in folders."""
    corpus = CorpusConfig(request.corpus)
    if corpus.of_pairs or request.corpus.startswith("hf:"):
        return True
    files = [file for part in corpus.files if (file := existing(split_source(part)[0]))]
    return sum(file.stat().st_size for file in files) > SLOW_BYTES


VERB = Verb(TrainingTexts, run, slow=slow, doing="Reading the corpus")
