"""Neighbours: which texts lie nearest, and how that changes from one space to another."""

from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.metrics import check_vectors, nearest, unit_rows

if TYPE_CHECKING:
    from pandas import DataFrame


def neighbours(
    vectors: NDArray[np.floating],
    *,
    count: Annotated[int, Knob(1, 100, 1, "Neighbours of each text.")] = 10,
) -> "DataFrame":
    """The nearest other texts of each text by cosine: row, rank (from 1), neighbour, cosine. Ties go to the lower row.

    With fewer texts than asked for, each has all others.

    Raises:
        BadData: fewer than two vectors, or a number that is not finite.

    >>> neighbours(np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]]), count=1)["neighbour"].tolist()
    [1, 0, 1]
    """
    from pandas import DataFrame

    rows = unit_rows(check_vectors(vectors, "neighbours"))
    count = min(count, len(rows) - 1)
    found, cosines = nearest(rows, count)
    return DataFrame(
        {
            "row": np.repeat(np.arange(len(rows)), count),
            "rank": np.tile(np.arange(1, count + 1), len(rows)),
            "neighbour": found.ravel(),
            "cosine": cosines.ravel().astype(np.float64),
        }
    )


def neighbour_change(before: NDArray[np.floating], after: NDArray[np.floating], *, count: int = 10) -> "DataFrame":
    """What became of each text's neighbours between two spaces of the same texts: row, kept, gained, lost.

    `kept` is the share of the neighbours in both, 0..1; `gained` and `lost` are lists of rows, nearest first.

    Raises:
        BadData: another number of vectors, or see `neighbours`.
    """
    from pandas import DataFrame

    if len(before) != len(after):
        raise BadData("Two spaces are compared on the same texts.", got=f"{len(before)} and {len(after)} vectors")
    old, new = (
        table["neighbour"].to_numpy().reshape(len(before), -1)
        for table in (neighbours(before, count=count), neighbours(after, count=count))
    )
    return DataFrame(
        {
            "row": np.arange(len(old)),
            "kept": [len(np.intersect1d(was, now)) / len(was) for was, now in zip(old, new, strict=True)],
            "gained": [now[~np.isin(now, was)].tolist() for was, now in zip(old, new, strict=True)],
            "lost": [was[~np.isin(was, now)].tolist() for was, now in zip(old, new, strict=True)],
        }
    )


METHOD = Method(neighbours, title="Nearest texts", source="Cover and Hart 1967; by cosine, ties by row")
