"""Procrustes alignment: one set of points turned onto another, so that only what differs between them is seen."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Aligned(NamedTuple):
    """Points turned onto others, and how far they then differ."""

    points: NDArray[np.float64]
    disparity: float
    """0 if they lie on each other, 1 if they have nothing in common; 1 minus it is the share of variance in common."""


def procrustes(points: NDArray[np.floating], onto: NDArray[np.floating]) -> Aligned:
    """`points` (n, d), moved, turned or reflected, and scaled to the size of `onto` (n, d), row by row as near as possible.

    Both sets have the same sum of squares around their mean afterwards; the best scale would shrink points that agree little.
    The disparity is the residual sum of squares at the best scale, with both sets scaled to 1, as in scipy.spatial.procrustes.

    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> turned = square @ np.array([[0.0, -2.0], [2.0, 0.0]]) + 5
    >>> aligned = procrustes(turned, square)
    >>> np.allclose(aligned.points, square), abs(round(aligned.disparity, 9))
    (True, 0.0)
    """
    from scipy.linalg import orthogonal_procrustes

    centre = onto.mean(axis=0)
    moved, wanted = points - points.mean(axis=0), onto - centre
    sizes = float(np.linalg.norm(moved)), float(np.linalg.norm(wanted))
    if min(sizes) <= np.finfo(float).tiny:  # all points of a set are one: there is nothing to turn
        return Aligned(np.asarray(moved + centre, np.float64), 1.0)
    rotation, agreement = orthogonal_procrustes(moved / sizes[0], wanted / sizes[1])
    turned = moved @ rotation * (sizes[1] / sizes[0]) + centre
    return Aligned(np.asarray(turned, np.float64), max(0.0, 1 - float(agreement) ** 2))
