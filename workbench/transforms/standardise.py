"""Standardising: each dimension with mean 0 and variance 1."""

from typing import TYPE_CHECKING

from workbench.core.method import Method

if TYPE_CHECKING:
    from sklearn.base import TransformerMixin


def standardise() -> "TransformerMixin":
    """A transformer that subtracts the mean of each dimension and divides by its standard deviation.

    The standard deviation has the divisor n. A dimension that never varies is only centred. Vectors (n, dim) keep their
    dimensions and dtype.

    Prefer it over `centre` where a few dimensions have a much larger scale than the others, and over `whitening` to keep the
    correlations of the dimensions or when texts are fewer than dimensions.

    >>> import numpy as np
    >>> standardise().fit_transform(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    from sklearn.preprocessing import StandardScaler

    return StandardScaler()


METHOD = Method(
    standardise,
    title="Mean 0 and variance 1 in each dimension",
    source="Common practice; studied for embeddings in Timkey and van Schijndel 2021, arXiv:2109.04404",
    formula=r"x'_j = \frac{x_j - \mu_j}{\sigma_j}",
    tags={"fitted": "yes", "done": "standardised"},
)
