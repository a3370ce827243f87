"""Augmentations: they make another view of a text. One folder for each thing they act on; `draw` calls them."""
