"""The ellipse of a covariance: where the seeds of a method lie in a plane."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.core.errors import BadData

DEVIATIONS = 2.0
LEAST = 3
"""Points, without which a covariance in the plane is that of a line."""


def ellipse(x: ArrayLike, y: ArrayLike, *, deviations: float = DEVIATIONS, corners: int = 64) -> NDArray[np.float64]:
    """A closed curve, (corners + 1, 2), around the mean of points, `deviations` standard deviations away in every direction.

    The covariance has the denominator n - 1. Points on a line give the line, equal points a point.

    Raises:
        BadData: fewer than three points, or a number that is not finite.

    >>> around = ellipse([0, 2, 0, 2], [0, 0, 2, 2], deviations=1.0)  # a variance of 4 / 3 on both axes
    >>> around[0].round(3).tolist(), around[16].round(3).tolist()
    ([2.155, 1.0], [1.0, 2.155])
    """
    points = np.array([x, y], np.float64)
    if points.shape[1] < LEAST or not np.isfinite(points).all():
        raise BadData("An ellipse needs three points or more, all finite.", got=f"{points.shape[1]}")
    # By the symmetric root: unlike a factor of Cholesky it exists where points lie on a line.
    variances, axes = np.linalg.eigh(np.cov(points))
    root = axes @ np.diag(np.sqrt(np.clip(variances, 0, None))) @ axes.T
    turns = np.linspace(0, 2 * np.pi, corners + 1)
    around = points.mean(axis=1)[:, None] + deviations * root @ np.array([np.cos(turns), np.sin(turns)])
    return np.asarray(around.T)
