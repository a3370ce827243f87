"""The mean of the first and the last layer over the real tokens."""

from typing import TYPE_CHECKING

from workbench.core.method import Method
from workbench.pooling._masked import masked_mean

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor


def first_last(
    hidden_states: "tuple[Float[Tensor, 'batch tokens dim'], ...]",
    mask: "Int[Tensor, 'batch tokens']",
    *,
    ids: "Int[Tensor, 'batch tokens'] | None" = None,
    weights: "Float[Tensor, 'words width'] | None" = None,
) -> "Float[Tensor, 'batch dim']":
    """Mean over the real tokens of the average of the first layer's output, `hidden_states[1]`, and the last.

    Index 0 is the embedding output, before any layer: that variant is `static_last`. With one layer this is `mean`.

    Prefer it over `mean` to reproduce BERT-whitening and the SimCSE code's baseline of a pretrained BERT; prefer `last2` to
    reproduce BERT-flow and ConSERT's evaluation.

    >>> import torch
    >>> layers = (torch.tensor([[[9.0]]]), torch.tensor([[[2.0]]]), torch.tensor([[[4.0]]]))
    >>> first_last(layers, torch.ones(1, 1, dtype=torch.long)).item()  # (2 + 4) / 2
    3.0

    Raises:
        BadData: a row of the mask is all 0.
    """
    return masked_mean((hidden_states[1] + hidden_states[-1]) / 2, mask)


METHOD = Method(
    first_last,
    title="Mean of the first and last layer",
    source="Su et al. 2021 (BERT-whitening), https://arxiv.org/abs/2103.15316",
    tags={"layers": "several", "states": "2", "average": "yes", "averaged": "1 -1"},
)
