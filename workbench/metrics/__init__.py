"""Metrics: a number about a set of vectors, or about two row-aligned sets. numpy, one file each.

Tags: `direction`, which values are better; `inputs`, vectors or pairs; `shows`, the picture that explains a change of it.
"""

from workbench.core.discovery import discover
from workbench.metrics._rows import check_vectors, checked_cosines, nearest, singular_values

__all__ = ["METHODS", "check_vectors", "checked_cosines", "nearest", "singular_values"]

METHODS = discover(__name__, list(__path__))
