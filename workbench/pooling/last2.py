"""The mean of the last two layers over the real tokens."""

from typing import TYPE_CHECKING

from workbench.core.method import Method
from workbench.pooling._masked import masked_mean

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor


def last2(
    hidden_states: "tuple[Float[Tensor, 'batch tokens dim'], ...]",
    mask: "Int[Tensor, 'batch tokens']",
    *,
    ids: "Int[Tensor, 'batch tokens'] | None" = None,
    weights: "Float[Tensor, 'words width'] | None" = None,
) -> "Float[Tensor, 'batch dim']":
    """Mean over the real tokens of the average of the last two layers: (batch, dim).

    With a single layer these are the embedding output and that layer.

    Prefer it over `mean` to reproduce BERT-flow and ConSERT, which evaluate with it; over `first_last` to leave the lowest
    layers out.

    >>> import torch
    >>> layers = (torch.zeros(1, 1, 1), torch.tensor([[[2.0]]]), torch.tensor([[[4.0]]]))
    >>> last2(layers, torch.ones(1, 1, dtype=torch.long)).item()  # (2 + 4) / 2
    3.0

    Raises:
        BadData: a row of the mask is all 0.
    """
    return masked_mean((hidden_states[-1] + hidden_states[-2]) / 2, mask)


METHOD = Method(
    last2,
    title="Mean of the last two layers",
    source="Yan et al. 2021 (ConSERT), https://aclanthology.org/2021.acl-long.393",
    tags={"layers": "several", "states": "2", "average": "yes", "averaged": "-2 -1"},
)
