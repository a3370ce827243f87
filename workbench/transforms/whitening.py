"""Whitening: mean 0 and identity covariance in the k directions of largest variance."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from sklearn.base import TransformerMixin


def whitening(
    *,
    k: Annotated[
        int, Knob(0, 4096, 1, "Directions kept, those of largest variance; 0 keeps all.", special=(0, "all"))
    ] = 0,
    normalise: Annotated[
        bool, Knob(help="Scale each vector to length 1 afterwards, as the published code does.")
    ] = False,
) -> "TransformerMixin":
    """A transformer that rotates vectors to their principal axes and divides by the standard deviation along each.

    Vectors (n, dim) become (n, directions kept), in their dtype. Variances have the divisor n - 1. Directions whose variance
    is below a billionth of the largest are left out, with a warning `FewTexts`: if texts do not outnumber dimensions there
    are always some, and the texts it was fitted on then all end up equally far apart, which ranks nothing. It also warns
    below two texts per direction. The paper keeps 256 of BERT-base's 768 dimensions and 384 of large (recalled, not checked
    against the paper).

    Prefer it over `standardise` to remove correlations as well, and over `flow` for a map in closed form that also reduces
    dimensions; both want many more texts than `centre`.

    >>> import numpy as np
    >>> corners = np.array([[2.0, 1.0], [2.0, -1.0], [-2.0, 1.0], [-2.0, -1.0]])
    >>> np.abs(whitening(k=1).fit(corners).transform(corners)).round(4).tolist()  # 2 / sqrt(16 / 3)
    [[0.866], [0.866], [0.866], [0.866]]
    """
    from workbench.transforms._rotations import Whitening

    return Whitening(k=k, normalise=normalise)


METHOD = Method(
    whitening,
    title="Whitening",
    source="Su et al. 2021 (BERT-whitening), arXiv:2103.15316",
    formula=r"x' = \left(U S^{-1/2}\right)_{:,1..k}^{\top} (x - \mu), \quad \Sigma = U S U^{\top}",
    tags={"fitted": "yes", "done": "whitened", "texts": "dimensions"},
)
