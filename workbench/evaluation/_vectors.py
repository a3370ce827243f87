"""Vectors of a task's texts, each distinct text encoded once."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import BadData
from workbench.evaluation._suite import Encode

Floats = NDArray[np.float64]


def encoded(encode: Encode, texts: Sequence[str], task: str) -> Callable[[Sequence[str]], Floats]:
    """A function that gives the vectors of any of these texts, in fp64.

    Raises:
        BadData: vectors that are not finite.
    """
    row_of = {text: row for row, text in enumerate(dict.fromkeys(texts))}
    vectors = np.asarray(encode(list(row_of)), np.float64)
    if not np.isfinite(vectors).all():
        raise BadData(f"Vectors of {task} are not finite.", rule="A cosine needs numbers.")

    def rows(asked: Sequence[str]) -> Floats:
        return vectors[[row_of[text] for text in asked]]

    return rows


def unit(vectors: Floats) -> Floats:
    """Rows of length 1; a zero vector stays zero, so its cosine with all others is 0."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Floats = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return scaled
