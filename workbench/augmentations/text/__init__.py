"""Text augmentations: one text to another. One file each; `workbench.augmentations.draw` calls them."""

from workbench.core.method import discover

METHODS = discover(__name__, list(__path__))
