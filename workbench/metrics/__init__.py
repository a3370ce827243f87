"""Metrics: a number about a set of vectors, or about two row-aligned sets. numpy, one file each.

`(vectors, *, <settings>) -> float` for vectors (texts, dim), or `(first, second, *, <settings>) -> float` for pairs. What it
cannot be computed of, it refuses with `BadData` (`check_vectors`); the geometry then shows it as undefined.

Tags: `direction`, which values are better; `inputs`, vectors or pairs; `shows`, the picture that explains a change of it.
"""

from workbench.core.discovery import discover
from workbench.core.method import Method
from workbench.metrics._rows import check_vectors, checked_cosines, nearest, singular_values

__all__ = ["METHODS", "check_vectors", "checked_cosines", "nearest", "singular_values"]


_INPUTS = ("vectors", "pairs")


def _lacks(method: Method) -> str:
    """Why a metric cannot be computed or read, in one line; empty if it can."""
    if method.tags.get("inputs") not in _INPUTS:
        return f"its tag inputs must be one of {', '.join(_INPUTS)}."
    return "" if method.tags.get("direction") else "its tag direction must say which values are better."


METHODS = discover(__name__, list(__path__), check=_lacks)
