"""Text augmentations: one text to another. One file each; `workbench.augmentations.draw` calls them.

Each is a function `(text, *, settings, rng) -> str`, deterministic for a given state of `rng`; those with the tag `parts`
return a tuple of that many texts. They return `normalised(text)` where nothing can be changed, an empty text included, and
never raise. What a method must load or count first, such as WordNet or the statistics of a corpus, is made by `prepare` and
is its first argument; `prepare` raises `MissingResource` where something is not installed.

Tags: `class` (what happens to the meaning: meaning_alteration, possible, preserving), `role` (positive or negative),
`language` (any or english), `alias` (its names in AugCSE), `table`, `pools` (AugCSE's pools that have it), `parts`,
`counts` (what its statistics are counted over) and `note`.
"""

from workbench.augmentations.labels import lacks
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._words import locked
from workbench.core.discovery import discover

__all__ = ["METHODS", "locked", "normalised"]

METHODS = discover(__name__, list(__path__), check=lacks("rng", of_texts=True))
