"""Augmentations by a model: `(resource, texts, *, <settings>, rngs) -> list of texts`, line-aligned. One file each.

`prepare`, which METHOD names, loads the model: `(corpus, *, <settings>) -> resource`. Without it there is no first argument.
`rngs` has a random.Random for each text.

Tags: `class` (what happens to the meaning: meaning_alteration, possible, preserving), `role` (positive or negative) and
`language` (any or english), which it must have.
"""

from workbench.augmentations.labels import lacks
from workbench.core.discovery import discover

METHODS = discover(__name__, list(__path__), check=lacks("rngs", of_texts=True))
