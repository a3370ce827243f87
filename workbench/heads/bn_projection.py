"""The projection of DiffCSE and AugCSE: two dense layers, each followed by batch normalisation."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from torch import nn


def bn_projection(
    dim: int, *, width: Annotated[int, Knob(1, 16, 1, "Hidden width as a multiple of the vector's.")] = 2
) -> "nn.Sequential":
    """Linear(dim, width dim), BatchNorm, ReLU, Linear(width dim, dim), BatchNorm without scale and shift; no biases.

    A module from (batch, dim) to (batch, dim). In training it needs batches of at least 2, because a single value has no
    variance.

    Prefer it over `mlp` to reproduce DiffCSE and AugCSE, and where each dimension should have mean 0 and variance 1 over the
    batch before the loss; over `projector` to keep the size of the vectors.

    >>> sum(weight.numel() for weight in bn_projection(3).parameters())  # 3 * 6 + 2 * 6 + 6 * 3
    48
    """
    from torch import nn

    hidden = width * dim
    return nn.Sequential(
        nn.Linear(dim, hidden, bias=False),
        nn.BatchNorm1d(hidden),
        nn.ReLU(),
        nn.Linear(hidden, dim, bias=False),
        nn.BatchNorm1d(dim, affine=False),
    )


METHOD = Method(
    bn_projection,
    title="Projection with batch normalisation",
    source="Chuang et al. 2022 (DiffCSE), https://aclanthology.org/2022.naacl-main.311",
    tags={"normalised": "views"},
)
