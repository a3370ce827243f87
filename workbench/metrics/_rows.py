"""Shared computations of metrics: checks, nearest rows, singular values."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import BadData
from workbench.core.rows import row_cosines

BLOCK_ROWS = 1024
COLLAPSED = 1e-5
"""Vectors that lie nearer to their mean than this share of their length differ by the rounding of an encoder in fp32."""


def check_vectors(vectors: NDArray[np.floating], name: str, *, least: int = 2) -> NDArray[np.floating]:
    """`vectors` as an array of fp32 or fp64.

    Raises:
        BadData: not (n, d), fewer than `least` rows, or a number that is not finite.
    """
    rows = np.asarray(vectors)
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise BadData(f"{name} needs vectors as rows.", rule="Shape (n, d).", got=f"shape {rows.shape}")
    if len(rows) < least:
        raise BadData(f"{name} needs at least {least} vectors.", got=str(len(rows)), way_out="Use more texts.")
    rows = rows.astype(np.float64 if rows.dtype == np.float64 else np.float32, copy=False)
    if not np.isfinite(rows).all():
        raise BadData(
            f"{name} got vectors with NaN or infinity.",
            rule="Every coordinate is a finite number.",
            way_out="The model has diverged: use an earlier checkpoint.",
        )
    return rows


def check_pair(a: NDArray[np.floating], b: NDArray[np.floating], name: str) -> None:
    """Check that two sets are row-aligned.

    Raises:
        BadData: they have different shapes.
    """
    if np.shape(a) != np.shape(b):
        raise BadData(f"{name} needs row-aligned sets.", rule="Same shape.", got=f"{np.shape(a)} and {np.shape(b)}")


def checked_cosines(a: NDArray[np.floating], b: NDArray[np.floating]) -> NDArray[np.float64]:
    """`core.rows.row_cosines` of vectors that are checked first.

    Raises:
        BadData: the two sets are not row-aligned, or hold a number that is not finite.
    """
    check_pair(a, b, "The cosine of pairs")
    return row_cosines(*(check_vectors(rows, "The cosine of pairs", least=0) for rows in (a, b)))


def blocks(count: int, size: int = BLOCK_ROWS) -> Iterator[slice]:
    """Slices that cover `count` rows, `size` at a time."""
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


def nearest(
    unit: NDArray[np.floating], count: int, *, block: int = BLOCK_ROWS
) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
    """Rows and cosines of the `count` nearest other rows of each unit row, nearest first, ties by row number."""
    first = _first_alike(unit)
    repeated = bool((first != np.arange(len(unit))).any())
    indices = np.empty((len(unit), count), np.int64)
    cosines = np.empty((len(unit), count), unit.dtype)
    for rows in blocks(len(unit), block):
        near = unit[rows] @ unit.T
        if repeated:  # equal rows are ties, and a matrix product may round them differently
            near = near[:, first]
        near[np.arange(len(near)), np.arange(rows.start, rows.stop)] = -np.inf  # itself
        # Everything at least as near as the last row wanted, so that ties can be broken by row number.
        last = np.partition(near, -count, axis=1)[:, -count, None]
        row, column = np.nonzero(near >= last)
        value = near[row, column]
        order = np.lexsort((column, -value, row))
        starts = np.searchsorted(row[order], np.arange(len(near)))
        chosen = order[starts[:, None] + np.arange(count)]
        indices[rows], cosines[rows] = column[chosen], value[chosen]
    return indices, cosines


def _first_alike(rows: NDArray[np.floating]) -> NDArray[np.int64]:
    """The number of the first row that is equal to each, bit by bit."""
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, kind = np.unique(whole, return_index=True, return_inverse=True)
    return np.asarray(first[kind], np.int64)


def singular_values(vectors: NDArray[np.floating], name: str, *, centred: bool) -> NDArray[np.float64]:
    """Singular values, largest first, min(n, d) of them, fp64.

    Raises:
        BadData: all vectors are zero (or, when centred, all are the same).
    """
    rows = np.array(check_vectors(vectors, name), np.float64)  # a copy
    length = float(np.linalg.norm(rows))
    if centred:
        rows -= rows.mean(axis=0)
    if len(rows) != rows.shape[1]:
        # The same singular values, in a square of the smaller side.
        rows = np.asarray(np.linalg.qr(rows if len(rows) > rows.shape[1] else rows.T, mode="r"))
    values = np.asarray(np.linalg.svd(rows, compute_uv=False), np.float64)
    if not length or (centred and np.linalg.norm(values) <= COLLAPSED * length):
        raise BadData(
            f"{name} is not defined for these vectors.",
            rule="They must not all be the same." if centred else "They must not all be zero.",
            way_out="The space has collapsed: use an earlier checkpoint.",
        )
    return values
