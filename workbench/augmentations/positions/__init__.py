"""Augmentations of position ids: `(position_ids, mask, *, <settings>, generator) -> position_ids`. One file each."""

from workbench.core.method import discover

METHODS = discover(__name__, list(__path__))
