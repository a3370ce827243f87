"""Text augmentations: one text to another. One file each; `workbench.augmentations.draw` calls them."""

from workbench.augmentations.labels import lacks
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._words import locked
from workbench.core.discovery import discover

__all__ = ["METHODS", "locked", "normalised"]

METHODS = discover(__name__, list(__path__), check=lacks("rng", of_texts=True))
