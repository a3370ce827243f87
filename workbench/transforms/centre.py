"""Centring: the mean vector is subtracted."""

from typing import TYPE_CHECKING

from workbench.core.method import Method

if TYPE_CHECKING:
    from sklearn.base import TransformerMixin


def centre() -> "TransformerMixin":
    """A transformer that learns the mean vector of one set and subtracts it from any, leaving lengths and dtype alone.

    It takes the cone's common direction away and nothing else: often much of what training gains, at no cost. What it
    was fitted on belongs beside every score. Use `transforms.fit`, which refuses to fit on a single text.

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
