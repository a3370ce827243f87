"""The state of the first token."""

from typing import TYPE_CHECKING

from workbench.core.method import Method
from workbench.pooling._masked import some_token

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor


def cls(
    hidden_states: "tuple[Float[Tensor, 'batch tokens dim'], ...]",
    mask: "Int[Tensor, 'batch tokens']",
    *,
    ids: "Int[Tensor, 'batch tokens'] | None" = None,
    weights: "Float[Tensor, 'words width'] | None" = None,
) -> "Float[Tensor, 'batch dim']":
    """The last layer's state of token 0, `[CLS]` or `<s>`: (batch, dim).

    Prefer it over `mean` where the first token was trained to represent the text, as in SimCSE; BERT without such training has an
    STS average of 29.19 with it and 54.81 with `mean`. `pooler` adds the backbone's pre-trained dense layer.

    >>> import torch
    >>> cls((torch.arange(6.0).reshape(1, 3, 2),), torch.ones(1, 3, dtype=torch.long)).tolist()
    [[0.0, 1.0]]

    Raises:
        BadData: a row of the mask is all 0.
    """
    some_token(mask)
    return hidden_states[-1][:, 0]


METHOD = Method(
    cls,
    title="First token",
    source="Gao, Yao and Chen 2021 (SimCSE), https://aclanthology.org/2021.emnlp-main.552",
    tags={"layers": "last", "export": "cls"},
)
