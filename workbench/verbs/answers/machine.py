"""Answers about this machine, and what is fetched to it."""

from typing import Any

from workbench.compute.model_cache import Desk, Told


def wordnet(desk: Desk, told: Told, *, asked: float) -> dict[str, Any]:
    """See questions.machine.wordnet."""
    from workbench.augmentations import wordnet

    told(0.0, "Fetching WordNet, 11 MB")
    wordnet.fetch(desk.folder.cache / "nltk")
    return {"missing": wordnet.missing()}
