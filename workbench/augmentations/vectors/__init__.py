"""Augmentations of pooled vectors: `(vectors, *, <settings>, generator) -> vectors`. One file each."""

from workbench.core.method import discover

METHODS = discover(__name__, list(__path__))
