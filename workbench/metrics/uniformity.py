"""Uniformity: how evenly the vectors are spread over the sphere."""

import math
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from workbench.core.method import Knob, Method
from workbench.core.rows import unit_rows
from workbench.metrics._rows import BLOCK_ROWS, blocks, check_vectors


def uniformity(
    vectors: NDArray[np.floating],
    *,
    scale: Annotated[float, Knob(0.5, 10.0, 0.5, "Sharpness of the kernel: higher counts only nearer texts.")] = 2.0,
    block: int = BLOCK_ROWS,
) -> float:
    """Log of the mean Gaussian kernel over all unordered pairs of different rows; lower is better.

    In -8..0 for scale 2; 0 is full collapse, and an even spread in 768 dimensions gives about -4. Repeated texts are repeated
    rows and count: remove them first if they should not. `block` limits memory and does not change the result.

    Prefer it over `mean_cosine` to measure the whole distribution on the sphere and for figures beside `alignment`; it takes
    time quadratic in the rows.

    Raises:
        BadData: fewer than two rows, or a number that is not finite.

    >>> uniformity(np.array([[1.0, 0.0], [-1.0, 0.0]]))  # log(exp(-2 * 2**2))
    -8.0
    """
    rows = unit_rows(check_vectors(vectors, "uniformity"))
    lengths = np.einsum("ij,ij->i", rows, rows)
    total = 0.0  # kernels are in exp(-40)..1, so a plain fp64 sum neither over- nor underflows
    for first in blocks(len(rows), block):
        for second in blocks(len(rows), block):
            if second.start < first.start:
                continue
            kernel = rows[first] @ rows[second].T
            kernel *= -2
            kernel += lengths[first, None]
            kernel += lengths[second]
            np.maximum(kernel, 0, out=kernel)
            kernel *= -scale
            np.exp(kernel, out=kernel)
            if first == second:
                total += float(np.triu(kernel, 1).sum(dtype=np.float64))
            else:
                total += float(kernel.sum(dtype=np.float64))
    return math.log(total / (len(rows) * (len(rows) - 1) / 2))


METHOD = Method(
    uniformity,
    title="Uniformity",
    source="Wang and Isola 2020, arXiv:2005.10242",
    formula=r"\ell_{\mathrm{uniform}} = \log \mathbb{E}_{x \neq y}\, e^{-t \lVert f(x) - f(y) \rVert^2}",
    tags={"direction": "lower is better", "inputs": "vectors"},
)
