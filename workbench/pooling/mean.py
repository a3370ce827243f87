"""The mean of the last layer over the real tokens."""

from typing import TYPE_CHECKING

from workbench.core.method import Method
from workbench.pooling._masked import masked_mean

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor


def mean(
    hidden_states: "tuple[Float[Tensor, 'batch tokens dim'], ...]",
    mask: "Int[Tensor, 'batch tokens']",
    *,
    ids: "Int[Tensor, 'batch tokens'] | None" = None,
    weights: "Float[Tensor, 'words width'] | None" = None,
) -> "Float[Tensor, 'batch dim']":
    """Mean of the last layer over the tokens whose mask is 1, special tokens included, as in all published code.

    Prefer it over `cls` for a backbone whose first token was not trained to represent the text, and wherever
    Sentence-BERT's, ConSERT's or Contrastive Tension's training is reproduced.

    >>> import torch
    >>> states = torch.tensor([[[1.0], [3.0], [9.0]]])
    >>> mean((states,), torch.tensor([[1, 1, 0]])).item()  # (1 + 3) / 2
    2.0

    Raises:
        BadData: a row of the mask is all 0.
    """
    return masked_mean(hidden_states[-1], mask)


METHOD = Method(
    mean,
    title="Mean of the last layer",
    source="Reimers and Gurevych 2019 (Sentence-BERT), https://aclanthology.org/D19-1410",
    tags={"layers": "last", "average": "yes", "export": "mean"},
)
