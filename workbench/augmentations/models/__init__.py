"""Augmentations by a model: `(resource, texts, *, <settings>, rngs) -> list of texts`, line-aligned. One file each."""

from workbench.augmentations.labels import lacks
from workbench.core.discovery import discover

METHODS = discover(__name__, list(__path__), check=lacks("rngs", of_texts=True))
