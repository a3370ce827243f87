"""What stands between pooling and loss, in training only unless a recipe keeps it: one file each.

Tags: `normalised`, over what, where a head has batch normalisation.
"""

from workbench.core.discovery import discover

METHODS = discover(__name__, list(__path__))
