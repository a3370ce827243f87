"""Rows of length 1 and their cosines, for arrays; `losses/_rows.py` has the same for tensors, with gradients."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

SMALLEST_NORM = 1e-8
_BLOCK = 1024
Floating = TypeVar("Floating", bound=np.floating)


def unit_rows(rows: NDArray[Floating]) -> NDArray[Floating]:
    """Vectors along the last axis divided by their length, or by 1e-8 if they are shorter: a zero row stays zero.

    Lengths are summed in fp64; the result has the precision of `rows`.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    if not rows.size:
        return rows
    flat = rows.reshape(-1, rows.shape[-1])
    found = np.empty_like(flat)
    for start in range(0, len(flat), _BLOCK):  # by blocks: fp64 values stay in the cache
        block = flat[start : start + _BLOCK]
        lengths = np.sqrt(np.einsum("ij,ij->i", block, block, dtype=np.float64))
        divisors = np.maximum(lengths, SMALLEST_NORM)[:, None]
        np.divide(block, divisors, out=found[start : start + _BLOCK], casting="same_kind")
    return found.reshape(rows.shape)


def row_cosines(a: NDArray[np.floating], b: NDArray[np.floating]) -> NDArray[np.float64]:
    """Cosine of each row of `a` with the same row of `b`, shape (rows,), in fp64; 0 where one of them is zero.

    Equal rows have exactly 1: rounding would rank pairs of equal texts, which are ties.

    >>> row_cosines(np.array([[3.0, 0.0], [1.0, 1.0]]), np.array([[9.0, 0.0], [0.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    cosines = np.clip(np.einsum("ij,ij->i", unit_rows(a), unit_rows(b), dtype=np.float64), -1, 1)
    return np.where((a == b).all(axis=1) & (cosines > 0), 1.0, cosines)


def read_only(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    """The same numbers, for a method that might change them in place: it raises `ValueError` instead, and others that are given
    the same rows see what they were.
    """
    kept = rows.view()
    kept.flags.writeable = False
    return kept
