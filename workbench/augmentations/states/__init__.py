"""Augmentations of the embedding output: `(states, mask, *, <settings>, generator) -> (states, mask)`. One file each."""

from workbench.core.method import discover

METHODS = discover(__name__, list(__path__))
