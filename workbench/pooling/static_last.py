"""The mean of the embedding output and the last layer over the real tokens."""

from typing import TYPE_CHECKING

from workbench.core.method import Method
from workbench.pooling._masked import masked_mean

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor


def static_last(
    hidden_states: "tuple[Float[Tensor, 'batch tokens dim'], ...]",
    mask: "Int[Tensor, 'batch tokens']",
    *,
    ids: "Int[Tensor, 'batch tokens'] | None" = None,
    weights: "Float[Tensor, 'words width'] | None" = None,
) -> "Float[Tensor, 'batch dim']":
    """Mean over the real tokens of the average of the embedding output, `hidden_states[0]`, and the last layer.

    The SimCSE paper printed this as first-last (56.70 for BERT).

    Prefer `first_last`, which averages two layers; use this one to reproduce that figure.

    >>> import torch
    >>> layers = (torch.tensor([[[8.0]]]), torch.tensor([[[2.0]]]), torch.tensor([[[4.0]]]))
    >>> static_last(layers, torch.ones(1, 1, dtype=torch.long)).item()  # (8 + 4) / 2
    6.0

    Raises:
        BadData: a row of the mask is all 0.
    """
    return masked_mean((hidden_states[0] + hidden_states[-1]) / 2, mask)


METHOD = Method(
    static_last,
    title="Mean of the embedding output and the last layer",
    source="Gao, Yao and Chen 2021 (SimCSE), https://aclanthology.org/2021.emnlp-main.552",
    tags={"layers": "several", "average": "yes", "averaged": "0 -1"},
)
