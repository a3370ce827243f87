"""The state of the mask token in a prompt that asks what the sentence means."""

from typing import TYPE_CHECKING

from workbench.core.device import to_check
from workbench.core.errors import BadData, BadSetting
from workbench.core.method import Method
from workbench.pooling._masked import some_token

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor


def mask_token(
    hidden_states: "tuple[Float[Tensor, 'batch tokens dim'], ...]",
    mask: "Int[Tensor, 'batch tokens']",
    *,
    ids: "Int[Tensor, 'batch tokens'] | None" = None,
    weights: "Float[Tensor, 'words width'] | None" = None,
    mask_id: int | None = None,
) -> "Float[Tensor, 'batch dim']":
    """The last layer's state of the last real token whose id is `mask_id`: (batch, dim).

    The last one, because the prompt's mask token follows the sentence, which might contain another.

    Prefer it over `cls` for a masked language model that was not trained for sentence vectors, since filling the mask is what
    it was trained for; it makes every text longer by the prompt.

    >>> import torch
    >>> states = torch.tensor([[[1.0], [5.0], [7.0]]])
    >>> mask_token((states,), torch.ones(1, 3, dtype=torch.long), ids=torch.tensor([[2, 4, 3]]), mask_id=4).item()
    5.0

    Raises:
        BadData: a row of the mask is all 0, or a row has no mask token.
        BadSetting: `ids` or `mask_id` is missing.
    """
    import torch

    some_token(mask)
    if ids is None or mask_id is None:
        raise BadSetting(
            "mask_token pooling needs the token ids and the id of the mask token.", way_out="Pass ids= and mask_id=."
        )
    here = (ids == mask_id) & mask.bool()
    if to_check(mask) and not here.any(dim=1).all():
        raise BadData("A text has no mask token.", rule="mask_token pools the state of the prompt's mask token.")
    places = torch.arange(ids.shape[1], device=ids.device)
    last = torch.where(here, places, -1).amax(dim=1)
    return hidden_states[-1][torch.arange(len(ids), device=ids.device), last]


METHOD = Method(
    mask_token,
    title="Mask token of a prompt",
    source="Jiang et al. 2022 (PromptBERT), https://aclanthology.org/2022.emnlp-main.603",
    tags={"needs": "prompt", "layers": "last", "not_exported": "puts each text into a prompt"},
)
