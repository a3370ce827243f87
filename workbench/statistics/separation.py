"""How well a score separates two groups: the area under the ROC curve."""

import numpy as np
from numpy.typing import ArrayLike

from workbench.statistics.correlation import average_ranks


def auc(higher: ArrayLike, lower: ArrayLike) -> float | None:
    """The probability that a score of the first group is above one of the second, ties counted half, 0..1; None if one is empty.

    >>> auc([0.9, 0.5], [0.5, 0.1]), auc([], [1.0])
    (0.875, None)
    """
    above, below = np.asarray(higher, np.float64), np.asarray(lower, np.float64)
    if not len(above) or not len(below):
        return None
    ranks = average_ranks(np.concatenate([above, below]))[: len(above)]
    return float((ranks.sum() - len(above) * (len(above) + 1) / 2) / (len(above) * len(below)))
