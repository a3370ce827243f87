"""Heads: projections between pooling and loss, used in training only unless a recipe keeps them. One file each.

Each is a function `(dim, *, <settings>) -> nn.Module`, with torch imported inside; the module maps (batch, dim) to (batch, out).

Tags: `normalised`, over what, if a head has batch normalisation.
"""

from workbench.core.discovery import discover

METHODS = discover(__name__, list(__path__))
