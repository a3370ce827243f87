"""IsoScore: how equally the variance is spread over the dimensions."""

import math

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import BadData
from workbench.core.method import Method
from workbench.metrics._rows import COLLAPSED, check_vectors


def isoscore(vectors: NDArray[np.floating]) -> float:
    """Share of the dimensions that the centred vectors use equally: 1 is all, 0 is one line; higher is more isotropic.

    Rows are texts, columns dimensions. It does not depend on the mean: a narrow cone far from the origin can score high.

    Prefer it over `partition_isotropy` for a value that does not depend on scale and basis, and over `mean_cosine` to ignore
    the mean.

    Raises:
        BadData: one dimension, fewer than two rows, all rows the same, or a number that is not finite.

    >>> square = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> round(isoscore(square), 6)
    1.0
    """
    rows = check_vectors(vectors, "isoscore").astype(np.float64)
    dim = rows.shape[1]
    if dim < 2:
        raise BadData("isoscore needs at least 2 dimensions.", got="1")
    centred = rows - rows.mean(axis=0)
    # The same variances either way; those of further dimensions are 0.
    products = centred @ centred.T if dim > len(rows) else centred.T @ centred
    variances = np.zeros(dim)
    variances[: len(products)] = np.linalg.eigvalsh(products / len(rows)).clip(0)
    if variances.sum() <= COLLAPSED**2 * np.square(rows).sum(axis=1).mean():
        raise BadData(
            "isoscore is not defined when all vectors are the same.",
            way_out="The space has collapsed: use an earlier checkpoint.",
        )
    scaled = math.sqrt(dim) * variances / np.linalg.norm(variances)
    defect = np.linalg.norm(scaled - 1) / math.sqrt(2 * (dim - math.sqrt(dim)))
    used = (dim - defect**2 * (dim - math.sqrt(dim))) ** 2 / dim**2
    return float((dim * used - 1) / (dim - 1))


METHOD = Method(
    isoscore,
    title="IsoScore",
    source="Rudman et al. 2022, arXiv:2108.07344",
    formula=r"\hat s = \sqrt{d}\, \frac{s}{\lVert s \rVert},\; "
    r"\delta = \frac{\lVert \hat s - 1 \rVert}{\sqrt{2 (d - \sqrt d)}},\; "
    r"\varphi = \frac{(d - \delta^2 (d - \sqrt d))^2}{d^2},\; \iota = \frac{d \varphi - 1}{d - 1}",
    tags={"direction": "higher is more isotropic", "inputs": "vectors"},
)
