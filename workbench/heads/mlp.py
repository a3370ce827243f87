"""The head of SimCSE: one dense layer and tanh."""

from typing import TYPE_CHECKING

from workbench.core.method import Method

if TYPE_CHECKING:
    from torch import nn


def mlp(dim: int) -> "nn.Sequential":
    """Linear(dim, dim) and tanh, freshly initialised: not BERT's pooler, which was trained for another task.

    A module from (batch, dim) to (batch, dim), with outputs in (-1, 1).

    Prefer it over `bn_projection` as the smallest head, for batches of any size, and to reproduce SimCSE.

    >>> sum(weight.numel() for weight in mlp(3).parameters())  # 3 * 3 + 3
    12
    """
    from torch import nn

    return nn.Sequential(nn.Linear(dim, dim), nn.Tanh())


METHOD = Method(
    mlp,
    title="Dense layer and tanh",
    source="Gao, Yao and Chen 2021 (SimCSE), https://aclanthology.org/2021.emnlp-main.552",
)
