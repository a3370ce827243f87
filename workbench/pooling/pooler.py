"""The pre-trained pooler of BERT: a dense layer and tanh on the first token."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.core.errors import BadModel
from workbench.core.method import Method
from workbench.pooling._masked import some_token

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor


def pooler(
    hidden_states: "tuple[Float[Tensor, 'batch tokens dim'], ...]",
    mask: "Int[Tensor, 'batch tokens']",
    *,
    ids: "Int[Tensor, 'batch tokens'] | None" = None,
    weights: "Float[Tensor, 'words width'] | None" = None,
    pooler: "Callable[[Tensor], Tensor] | None" = None,
) -> "Float[Tensor, 'batch dim']":
    """The output of `pooler`, the backbone's pre-trained layer, for the last layer: for BERT, tanh(W h + b) of token 0.

    Prefer `cls` or `mean`: BERT's layer was trained to predict the next sentence. This pooling is here as a baseline.

    >>> import torch
    >>> states = torch.arange(4.0).reshape(1, 2, 2)
    >>> pooler((states,), torch.ones(1, 2, dtype=torch.long), pooler=lambda last: 10 * last[:, 0]).tolist()
    [[0.0, 10.0]]

    Raises:
        BadData: a row of the mask is all 0.
        BadModel: the backbone has no pre-trained pooler.
    """
    some_token(mask)
    if pooler is None:
        raise BadModel(
            "This backbone has no pre-trained pooler.",
            rule="DistilBERT and ELECTRA have none, and many checkpoints were saved without one.",
            way_out="Use pooling cls with head mlp, or mean.",
        )
    return pooler(hidden_states[-1])


METHOD = Method(
    pooler,
    title="Pre-trained pooler",
    source="Devlin et al. 2019 (BERT), https://aclanthology.org/N19-1423",
    tags={"needs": "pooler layer", "layers": "last", "export": "cls"},
)
