"""Neighbours: the nearest texts of each text."""

from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from workbench.core.method import Knob, Method
from workbench.core.rows import unit_rows
from workbench.metrics import check_vectors, nearest

if TYPE_CHECKING:
    from pandas import DataFrame


def neighbours(
    vectors: NDArray[np.floating],
    *,
    count: Annotated[int, Knob(1, 100, 1, "Neighbours of each text.")] = 10,
) -> "DataFrame":
    """The nearest other texts of each text by cosine: row, rank (from 1), neighbour, cosine. Ties go to the lower row.

    With fewer texts than that, each has all others.

    Prefer it over `projection` for true distances: nothing is lost to a plane.

    Raises:
        BadData: fewer than two vectors, or a number that is not finite.

    >>> neighbours(np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]]), count=1)["neighbour"].tolist()
    [1, 0, 1]
    """
    from pandas import DataFrame

    rows = unit_rows(check_vectors(vectors, "neighbours"))
    count = min(count, len(rows) - 1)
    indices, cosines = nearest(rows, count)
    return DataFrame(
        {
            "row": np.repeat(np.arange(len(rows)), count),
            "rank": np.tile(np.arange(1, count + 1), len(rows)),
            "neighbour": indices.ravel(),
            "cosine": cosines.ravel().astype(np.float64),
        }
    )


METHOD = Method(neighbours, title="Nearest texts", source="Cover and Hart 1967; by cosine, ties by row")
