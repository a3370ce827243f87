"""Augmentations: what makes another view of a text. One folder for each thing they act on; `draw` is the caller."""
