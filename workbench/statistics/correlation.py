"""Spearman's rank correlation, with average ranks, and 0 with a warning where it is undefined."""

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.core.errors import BadData


class UndefinedCorrelation(UserWarning):
    """A correlation of constant scores is undefined; 0 was returned."""


def average_ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1; equal values share the mean of their ranks.

    >>> average_ranks([10, 20, 20, 5]).tolist()
    [2.0, 3.5, 3.5, 1.0]
    """
    _, group, size = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(size) - (size - 1) / 2)[group]
    return ranks


def spearman(cosine: ArrayLike, gold: ArrayLike) -> float:
    """Spearman's rho in -1..1; 0, with a warning, where it is undefined: fewer than two pairs, or constant scores.

    Raises:
        BadData: different numbers of scores and golds, or a number that is not finite.

    >>> spearman([0.1, 0.2, 0.9], [0, 3, 5])
    1.0
    """
    scores, golds = check_scores(cosine, gold)
    if len(golds) >= 2:
        first, second = average_ranks(scores), average_ranks(golds)
        first, second = first - first.mean(), second - second.mean()
        scale = np.sqrt((first @ first) * (second @ second))
        if scale > 0:
            return float(np.clip(first @ second / scale, -1, 1))
    warnings.warn(
        "Spearman is undefined for constant scores or fewer than 2 pairs: 0.", UndefinedCorrelation, stacklevel=2
    )
    return 0.0


def check_scores(cosine: ArrayLike, gold: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both as fp64 vectors, checked.

    Raises:
        BadData: see `spearman`.
    """
    scores, golds = np.asarray(cosine, np.float64), np.asarray(gold, np.float64)
    if scores.ndim != 1 or scores.shape != golds.shape:
        raise BadData("A rank correlation needs one score for each gold.", got=f"{scores.shape} and {golds.shape}")
    if not (np.isfinite(scores).all() and np.isfinite(golds).all()):
        raise BadData(
            "A score or a gold is NaN or infinite.", way_out="Drop those pairs, or use an earlier checkpoint."
        )
    return scores, golds
