"""Downloading WordNet."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core.progress import Progress
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Wordnet:
    """Download WordNet, which some augmentations need."""

    asked: Annotated[float, "Any number; a new one downloads again."] = 0.0


@dataclass(frozen=True)
class Fetched:
    """The result of the download."""

    missing: str
    """What is still missing; empty if nothing is."""


def run(request: Wordnet, models: "ModelCache", on_progress: Progress) -> Fetched:
    """What is still missing; empty if nothing is."""
    from workbench.augmentations import wordnet

    on_progress(0.0, "Downloading WordNet, 11 MB")
    wordnet.fetch(models.folder.cache / "nltk")
    return Fetched(wordnet.missing())


def slow(request: Wordnet) -> bool:
    """It is a download."""
    return True


VERB = Verb(Wordnet, run, slow=slow, doing="Downloading WordNet")
