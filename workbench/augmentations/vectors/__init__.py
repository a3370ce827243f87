"""Augmentations of pooled vectors: `(vectors, *, <settings>, generator) -> vectors`. One file each."""

from workbench.augmentations.labels import lacks
from workbench.core.discovery import discover

METHODS = discover(__name__, list(__path__), check=lacks("generator", of_texts=False))
