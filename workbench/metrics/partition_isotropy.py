"""Partition isotropy: whether the partition function is the same in every direction."""

import numpy as np
from numpy.typing import NDArray

from workbench.core.method import Method
from workbench.metrics._rows import check_vectors


def partition_isotropy(vectors: NDArray[np.floating]) -> float:
    """Smallest over largest partition function along the principal directions and their opposites; 1 is isotropic.

    Computed on raw, uncentred vectors, so both their scale and their mean matter. In (0, 1], or 0 where the ratio is too small
    for fp64. Where eigenvalues tie, the directions, and with them the value, depend on the basis.

    Prefer `isoscore`, which does not depend on scale and basis, to compare spaces; use this one for comparison with Mu and
    Viswanath.

    Raises:
        BadData: fewer than two rows, or a number that is not finite.

    >>> cross = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> round(partition_isotropy(cross), 6)
    1.0
    """
    rows = check_vectors(vectors, "partition_isotropy").astype(np.float64)
    count, dim = rows.shape
    if dim > count:  # in every direction outside the span the sum is n times e^0
        powers, left = np.linalg.eigh(rows @ rows.T)
        seen = left * np.sqrt(powers.clip(0))  # the rows along their own directions
        outside = [np.log([float(count)])]
    else:
        seen, outside = rows @ np.linalg.eigh(rows.T @ rows)[1], []
    logs = np.concatenate([_log_sum_exp(seen), _log_sum_exp(-seen), *outside])
    return float(np.exp(logs.min() - logs.max()))


def _log_sum_exp(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Down each column, without overflow."""
    top = values.max(axis=0)
    return np.asarray(top + np.log(np.exp(values - top).sum(axis=0)))


METHOD = Method(
    partition_isotropy,
    title="Partition isotropy",
    source="Mu and Viswanath 2018, All-but-the-top, arXiv:1702.01417",
    formula=r"\frac{\min_c Z(c)}{\max_c Z(c)},\quad Z(c) = \sum_i e^{c^\top x_i}",
    tags={"direction": "higher is more isotropic", "inputs": "vectors"},
)
