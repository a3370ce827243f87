"""The mean of the input word embeddings: no layer, no position, no context."""

from typing import TYPE_CHECKING

from workbench.core.errors import BadSetting
from workbench.core.method import Method
from workbench.pooling._masked import masked_mean

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor


def static(
    hidden_states: "tuple[Float[Tensor, 'batch tokens dim'], ...]",
    mask: "Int[Tensor, 'batch tokens']",
    *,
    ids: "Int[Tensor, 'batch tokens'] | None" = None,
    weights: "Float[Tensor, 'words width'] | None" = None,
) -> "Float[Tensor, 'batch width']":
    """Mean over the real tokens of the rows of the word-embedding matrix `weights`; the hidden states are not used.

    Prefer it over `mean` as a baseline without context, or where a pass through the layers is too slow; word order has no
    effect on it.

    >>> import torch
    >>> table = torch.tensor([[0.0], [2.0], [4.0]])
    >>> static((), torch.ones(1, 2, dtype=torch.long), ids=torch.tensor([[1, 2]]), weights=table).item()  # (2 + 4) / 2
    3.0

    Raises:
        BadData: a row of the mask is all 0.
        BadSetting: `ids` or `weights` is missing.
    """
    import torch

    if ids is None or weights is None:
        raise BadSetting(
            "static pooling needs the token ids and the embedding matrix.", way_out="Pass ids= and weights=."
        )
    return masked_mean(torch.nn.functional.embedding(ids, weights), mask)


METHOD = Method(
    static,
    title="Mean of the word embeddings",
    source="Jiang et al. 2022 (PromptBERT), https://aclanthology.org/2022.emnlp-main.603",
    tags={"layers": "none", "average": "yes", "not_exported": "leaves the layers out"},
)
