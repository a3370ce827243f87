"""Mean cosine of random pairs: how narrow the cone of the vectors is."""

import numpy as np
from numpy.typing import NDArray

from workbench.core.method import Method
from workbench.core.rows import unit_rows
from workbench.metrics._rows import check_vectors


def mean_cosine(vectors: NDArray[np.floating]) -> float:
    """Mean cosine over all pairs of different rows, exactly, in -1..1; 1 is full collapse, 0 is an open space.

    Computed from the length of the summed unit vectors, so no pair is ever formed.

    Prefer it over `uniformity` for speed (linear in the rows, not quadratic) and to see the cone; it is near 0 for
    any space whose mean is near 0, however few directions the vectors use.

    Raises:
        BadData: fewer than two rows, or a number that is not finite.

    >>> round(mean_cosine(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]])), 6)  # (0 + 0 + 1) / 3
    0.333333
    """
    rows = unit_rows(check_vectors(vectors, "mean_cosine").astype(np.float64))
    total = rows.sum(axis=0)
    with_itself = np.square(rows).sum()  # n, less the zero rows
    return float((total @ total - with_itself) / (len(rows) * (len(rows) - 1)))


METHOD = Method(
    mean_cosine,
    title="Mean cosine of random pairs",
    source="Ethayarajh 2019, arXiv:1909.00512",
    formula=r"\frac{\lVert \sum_i \hat x_i \rVert^2 - n}{n (n - 1)}",
    tags={"direction": "nearer 0 is more open", "inputs": "vectors", "shows": "cone"},
)
