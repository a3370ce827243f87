"""Neighbour overlap: how many nearest texts two models agree on, for each text."""

from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from workbench.analysis.neighbours import neighbours
from workbench.core.errors import BadData
from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from pandas import DataFrame


def neighbour_overlap(
    first: NDArray[np.floating],
    second: NDArray[np.floating],
    *,
    count: Annotated[int, Knob(1, 100, 1, "Neighbours of each text.")] = 10,
) -> "DataFrame":
    """Of the nearest other texts of each text by two models, how many are the same: row, shared, jaccard.

    `shared` counts the texts that are among the nearest by both, `jaccard` is their share of all that are among the nearest by
    either, 0..1. attrs: `count`, the neighbours of each text, and `mean`, the mean of that column.

    Prefer it over the distance of two scores to see where two spaces differ.

    Raises:
        BadData: other texts, fewer than two, or a number that is not finite.

    >>> one, other = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.1]])
    >>> neighbour_overlap(one, other, count=1)["jaccard"].tolist()
    [0.0, 0.0, 0.0]
    """
    if len(first) != len(second):
        raise BadData("Two models must have encoded the same texts.", got=f"{len(first)} and {len(second)}")
    return overlap_of(neighbours(first, count=count), neighbours(second, count=count), count=count)


def overlap_of(first: "DataFrame", second: "DataFrame", *, count: int) -> "DataFrame":
    """The same from two tables of `neighbours` of the same texts, of which the first `count` of each text are used."""
    from pandas import DataFrame

    n = int(first["row"].max()) + 1
    near, others = (
        table.loc[table["rank"] <= count, "neighbour"].to_numpy().reshape(n, -1) for table in (first, second)
    )
    both = near.shape[1] + others.shape[1]
    shared = np.empty(n, dtype=np.int64)
    for rows in (slice(start, start + 4096) for start in range(0, n, 4096)):
        shared[rows] = (near[rows, :, None] == others[rows, None, :]).sum(axis=(1, 2))
    jaccard = shared / (both - shared)
    table = DataFrame({"row": np.arange(n), "shared": shared, "jaccard": jaccard})
    table.attrs = {"count": near.shape[1], "mean": float(jaccard.mean())}
    return table


METHOD = Method(
    neighbour_overlap,
    title="Neighbours that two models share",
    source="Jaccard 1912; over nearest neighbours: Wendlandt et al. 2018, arXiv:1804.09692",
    formula=r"J_k(i) = \frac{|N_k(i) \cap N'_k(i)|}{|N_k(i) \cup N'_k(i)|}",
)
