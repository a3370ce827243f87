"""Metrics: a number about a set of vectors, or about two row-aligned sets. numpy, one file each.

Tags: `direction`, of a better one; `inputs`, vectors or pairs; `shows`, the picture that its change is told by.
"""

from workbench.core.discovery import discover
from workbench.metrics._rows import check_vectors, nearest, row_cosines, singular_values, unit_rows

__all__ = ["METHODS", "check_vectors", "nearest", "row_cosines", "singular_values", "unit_rows"]

METHODS = discover(__name__, list(__path__))
