"""Trustworthiness of a projection: whether what is near in the plane is near in the full space."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.core.seeds import some_rows

NEIGHBOURS = 15
MOST_COSINES = 25_000_000
"""Above this many, all rows with all others, only some rows are asked for their neighbours."""
LEAST_ROWS = 200
_BLOCK_COSINES = 4_000_000


class Trust(NamedTuple):
    """Trustworthiness, over how many neighbours of how many rows."""

    value: float
    neighbours: int
    rows: int


def trustworthiness(unit: NDArray[np.floating], points: NDArray[np.floating]) -> Trust:
    """Of `points` (n, 2) as a picture of unit rows (n, d): 1 if the nearest points of each are its nearest rows by cosine.

    Each of the k nearest points of a row that is not among its k nearest rows costs as much as its rank there exceeds k, and
    the sum is scaled so that 0 is the worst possible. Of many rows a sample is asked, drawn without a seed to choose.
    """
    from scipy.spatial import KDTree

    n = len(unit)
    count = min(NEIGHBOURS, (n - 1) // 2)
    asked = np.array(some_rows(n, max(LEAST_ROWS, MOST_COSINES // n), 0, "trustworthiness"), dtype=np.int64)
    rows = unit.astype(np.float32)
    _, drawn = KDTree(points).query(points[asked], k=count + 1)
    # A row is not its own neighbour; where copies of it crowd it out, the last one is left out instead.
    itself = drawn == asked[:, None]
    itself[~itself.any(axis=1), -1] = True
    near = drawn[~itself].reshape(len(asked), count)
    excess = 0
    for start in range(0, len(asked), step := max(1, _BLOCK_COSINES // n)):
        block = slice(start, start + step)
        cosines = rows[asked[block]] @ rows.T
        cosines[np.arange(len(cosines)), asked[block]] = -np.inf
        for others in near[block].T:
            ranks = (cosines > cosines[np.arange(len(cosines)), others][:, None]).sum(axis=1) + 1
            excess += int(np.maximum(ranks - count, 0).sum())
    return Trust(1 - 2 * excess / (len(asked) * count * (2 * n - 3 * count - 1)), count, len(asked))
