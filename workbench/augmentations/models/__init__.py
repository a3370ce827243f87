"""Augmentations by a model: `(resource, texts, *, <settings>, rngs) -> list of texts`, line-aligned. One file each."""

from workbench.core.method import discover

METHODS = discover(__name__, list(__path__))
