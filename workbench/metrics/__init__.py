"""Metrics: a number about a set of vectors, or about two row-aligned sets. numpy, one file each.

Tags: `direction`, of a better one; `inputs`, vectors or pairs; `shows`, the picture that its change is told by.
"""

from workbench.core.discovery import discover
from workbench.metrics._rows import check_vectors, checked_cosines, nearest, singular_values

__all__ = ["METHODS", "check_vectors", "checked_cosines", "nearest", "singular_values"]

METHODS = discover(__name__, list(__path__))
