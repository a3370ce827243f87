"""Fetching WordNet."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core.progress import Progress
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Wordnet:
    """Fetch WordNet, which some augmentations need."""

    asked: Annotated[float, "Another number is another request."] = 0.0


@dataclass(frozen=True)
class Fetched:
    """What was fetched."""

    missing: str
    """What is still lacking; empty where it is here."""


def run(request: Wordnet, models: "ModelCache", on_progress: Progress) -> Fetched:
    """What is still lacking."""
    from workbench.augmentations import wordnet

    on_progress(0.0, "Fetching WordNet, 11 MB")
    wordnet.fetch(models.folder.cache / "nltk")
    return Fetched(wordnet.missing())


def slow(request: Wordnet) -> bool:
    """It is a download."""
    return True


VERB = Verb(Wordnet, run, slow=slow, doing="Downloading WordNet")
