"""UMAP: points in a plane whose fuzzy neighbourhoods are like those of the vectors.

Objective, schedule and constants are those of umap-learn with its defaults (McInnes et al. 2018), whose functions compile
for 20 s in every process. Here the search for neighbours is exact, random numbers are NumPy's, and one loop is compiled.
`reference_points` has umap-learn itself.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.seeds import numpy_rng
from workbench.metrics import nearest

A, B = 1.5769434603, 0.8950608779
"""Two points at distance d are as similar as 1 / (1 + A d^2B): a fit to 1 up to d = .1, and exp(.1 - d) beyond."""
NEGATIVES = 5
"""Random points from which a point is pushed away whenever it is pulled towards a neighbour."""
EXTENT = 10.0
"""The points start in a square of this size."""


def umap_points(
    rows: NDArray[np.floating], start: NDArray[np.floating], *, neighbours: int, seed: int
) -> NDArray[np.float64]:
    """Points (n, 2), from unit `rows` (n, d), by cosine. They begin at `start` (n, 2), scaled; `neighbours` counts a row itself.

    The same rows, start and seed give the same points on the same machine. Time is quadratic in the rows.
    """
    rng = numpy_rng("umap", seed)
    points = start.astype(np.float64) / max(float(np.abs(start).max()), np.finfo(float).tiny) * EXTENT
    points += rng.normal(scale=1e-4, size=points.shape)  # so that no two points are the same
    points -= points.min(axis=0)
    points *= EXTENT / points.max(axis=0)
    epochs = 500 if len(rows) <= 10_000 else 200
    heads, tails, memberships = fuzzy_graph(rows, neighbours)
    kept = memberships >= memberships.max() / epochs  # others would never be drawn
    heads, tails, every = heads[kept], tails[kept], memberships.max() / memberships[kept]
    move, due = compiled(), every.copy()
    for epoch in range(epochs):
        active = np.flatnonzero(due <= epoch)
        due[active] += every[active]
        others = rng.integers(len(rows), size=(len(active), NEGATIVES))
        move(points, heads[active], tails[active], others, 1 - epoch / epochs)
    return points


def reference_points(rows: NDArray[np.floating], *, neighbours: int, seed: int) -> NDArray[np.float64]:
    """The same by umap-learn, from the first two principal components."""
    import warnings

    with warnings.catch_warnings():
        # It warns that TensorFlow is absent, which it does not need, and that it runs serially, as a seed requires.
        warnings.simplefilter("ignore")
        from umap import UMAP

        model = UMAP(n_neighbors=neighbours, metric="cosine", init="pca", random_state=seed, n_jobs=1)
        return np.asarray(model.fit_transform(rows.astype(np.float32)), np.float64)


def fuzzy_graph(
    rows: NDArray[np.floating], neighbours: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Pairs of rows that are neighbours, in both directions: the first row, the second, and the membership, above 0 to 1.

    Seen from a row, memberships fall exponentially with the cosine distance beyond that of its nearest neighbour, at the
    rate at which they sum to log2(neighbours). The membership of a pair is the fuzzy union of both directions.
    """
    from scipy.sparse import csr_array

    indices, cosines = nearest(rows, neighbours - 1)
    distances = np.maximum(1 - cosines.astype(np.float64), 0)
    count, width = distances.shape
    above = np.where(distances > 0, distances, np.inf).min(axis=1)
    above = np.where(np.isinf(above), 0, above)  # all neighbours are copies
    beyond = np.maximum(distances - above[:, None], 0)
    # A row is at distance 0 from itself, which counts in these means.
    floor = np.where(above > 0, distances.sum(axis=1) / neighbours, distances.sum() / (count * neighbours))
    scales = np.maximum(_scales(beyond, np.log2(neighbours)), 1e-3 * floor)
    memberships = np.exp(-beyond / _positive(scales))
    pairs = (np.repeat(np.arange(count), width), indices.ravel())
    directed = csr_array((memberships.ravel(), pairs), shape=(count, count))
    union = (directed + directed.T - directed.multiply(directed.T)).tocoo()
    some = union.data > 0
    return union.row[some].astype(np.int64), union.col[some].astype(np.int64), union.data[some]


def _scales(beyond: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """For each row the scale s at which exp(-beyond / s) sums to `total`, by bisection; near 0 if there is none."""
    low, high, scales = np.zeros(len(beyond)), np.full(len(beyond), np.inf), np.ones(len(beyond))
    for _ in range(64):
        above = np.exp(-beyond / _positive(scales)).sum(axis=1) > total
        low, high = np.where(above, low, scales), np.where(above, scales, high)
        scales = np.where(np.isinf(high), 2 * scales, (low + high) / 2)
    return scales


def _positive(scales: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.maximum(scales, np.finfo(float).tiny)[:, None]


def move(points: Any, heads: Any, tails: Any, others: Any, rate: float) -> None:
    """Pull each head and its tail together, then push the head away from its `others`, pair after pair and in place.

    Steps are those of gradient descent on the cross-entropy between the memberships and the similarities of the points, at
    most 4 along each axis, times `rate`.
    """
    for pair in range(len(heads)):
        i, j = heads[pair], tails[pair]
        x, y = points[i, 0] - points[j, 0], points[i, 1] - points[j, 1]
        squared = x * x + y * y
        if squared > 0:
            force = -2 * A * B * squared ** (B - 1) / (1 + A * squared**B)
            x, y = rate * min(4.0, max(-4.0, force * x)), rate * min(4.0, max(-4.0, force * y))
            points[i, 0] += x
            points[i, 1] += y
            points[j, 0] -= x
            points[j, 1] -= y
        for k in others[pair]:
            x, y = points[i, 0] - points[k, 0], points[i, 1] - points[k, 1]
            squared = x * x + y * y
            if squared > 0:
                force = 2 * B / ((0.001 + squared) * (1 + A * squared**B))
                points[i, 0] += rate * min(4.0, max(-4.0, force * x))
                points[i, 1] += rate * min(4.0, max(-4.0, force * y))


@cache
def compiled() -> Callable[..., None]:
    """`move` as machine code. Compiling it takes a second, once in a process."""
    from numba import njit

    machine_code: Callable[..., None] = njit("void(f8[:, ::1], i8[::1], i8[::1], i8[:, ::1], f8)", nogil=True)(move)
    return machine_code
