"""How well a regularised logistic regression classifies each fold by the others: two classes, many rows, all folds at once."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TOLERANCE = 1e-5
"""The largest mean gradient of a fit: a tenth of scikit-learn's."""
_MOST_STEPS = 25
ROWS_A_DIMENSION = 8
"""With fewer rows, the folds differ too much for what all rows say of their curvature."""


class OfFolds(NamedTuple):
    """What folds say of each strength, and the fits on all rows."""

    accuracy: Floats
    """(strengths, folds), 0..1."""
    predict: "list[Callable[[Floats], Ints]]"
    """Of the classifier that was fitted on all rows, for each strength."""


def of_folds(
    vectors: Floats,
    classes: Ints,
    strengths: Sequence[float],
    held_out: Sequence[Ints],
    fit: "Callable[[float], LogisticRegression]",
) -> OfFolds | None:
    """The accuracy on each fold of the classifier fitted on the others; None if that takes a fit of its own for each.

    `fit` fits all rows with a strength. A fold's fit starts there and takes Newton's steps with the curvature of all rows, which
    differs little where there are many: each step costs two products for all folds together, instead of a Hessian for each. The
    minimum that they reach is the fold's own, to `TOLERANCE`.
    """
    from scipy.linalg import cho_factor, cho_solve
    from scipy.special import expit

    rows, dim = vectors.shape
    if len(np.unique(classes)) != 2 or rows < ROWS_A_DIMENSION * dim:
        return None
    inputs = np.concatenate([vectors, np.ones((rows, 1))], axis=1)
    wanted = (classes == classes.max()).astype(np.float64)[:, None]
    out = np.zeros((rows, len(held_out)))
    for fold, own in enumerate(held_out):
        out[own, fold] = 1.0
    accuracy, predict = [], []
    for strength in strengths:
        model = fit(strength)
        predict.append(model.predict)
        whole = np.append(model.coef_[0], model.intercept_[0])
        # scikit-learn's objective: the losses, and half the squared weights over the strength, without the intercept.
        penalty = np.append(np.full(dim, 1 / strength), 0.0)
        chance = expit(inputs @ whole)
        bent = inputs * np.sqrt(chance * (1 - chance) * (1 - 1 / len(held_out)))[:, None]
        curvature = cho_factor(bent.T @ bent + np.diag(penalty))
        weights = np.repeat(whole[:, None], len(held_out), axis=1)
        for _ in range(_MOST_STEPS):
            gradient = inputs.T @ ((1 - out) * (expit(inputs @ weights) - wanted)) + penalty[:, None] * weights
            if np.abs(gradient).max() <= TOLERANCE * rows:
                break
            weights -= cho_solve(curvature, gradient)
        else:
            return None
        right = (inputs @ weights > 0) == (wanted > 0)
        accuracy.append((right * out).sum(axis=0) / out.sum(axis=0))
    return OfFolds(np.array(accuracy), predict)
