"""Augmentations of the embedding output: `(states, mask, *, <settings>, generator) -> (states, mask)`. One file each.

`inputs=("gradient",)` of METHOD asks for `gradient`, that of a supervised loss, (rows, tokens, dim).
Tags: `class` (what happens to the meaning: meaning_alteration, possible, preserving) and `role` (positive or negative), which it
must have.
"""

from workbench.augmentations.labels import lacks
from workbench.core.discovery import discover

METHODS = discover(__name__, list(__path__), check=lacks("generator", of_texts=False, takes=2))
