"""Centring: the mean vector is subtracted."""

from typing import TYPE_CHECKING

from workbench.core.method import Method

if TYPE_CHECKING:
    from sklearn.base import TransformerMixin


def centre() -> "TransformerMixin":
    """A transformer that learns the mean vector of one set and subtracts it from any; vectors are not rescaled.

    It removes the common direction of the cone and nothing else: often much of what training gains, at no cost. Vectors
    (n, dim) keep their dimensions and dtype. Report the texts it was fitted on with every score. Use `transforms.fit`, which
    refuses to fit on a single text.

    Prefer it over the other transforms when texts are few: it estimates nothing but a mean.

    >>> import numpy as np
    >>> centre().fit_transform(np.array([[1.0, 0.0], [3.0, 2.0]])).tolist()
    [[-1.0, -1.0], [1.0, 1.0]]
    """
    from sklearn.preprocessing import StandardScaler

    # Scaling switched off, this is centring alone, with scikit-learn's checks, cloning and storing.
    return StandardScaler(with_std=False)


METHOD = Method(
    centre,
    title="Subtract the mean",
    source="Mu and Viswanath 2018, All-but-the-top, arXiv:1702.01417 (its first step)",
    formula=r"x' = x - \tfrac{1}{n} \sum_i x_i",
    tags={"fitted": "yes", "done": "mean subtracted"},
)
