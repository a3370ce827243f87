"""DropHead: whole attention heads are dropped, drawn separately for each text."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workbench.core.errors import BadModel

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.models.backbone import Backbone

BEHIND = ("attention.output.dense", "attention.attn.o", "attention.out_lin", "attn.Wo")
"""The module that reads the concatenated heads of a layer: of BERT, ELECTRA and the RoBERTas; MPNet; DistilBERT; ModernBERT."""


@contextmanager
def dropping_heads(backbone: "Backbone", rate: float) -> Iterator[None]:
    """A context in which each head of each layer is zeroed with probability `rate`, and the others scaled by 1 / (1 - rate).

    In train mode only. One draw per text, layer and head from torch's global generator; texts are the first axis of a batch.
    Drawing per text, and scaling so that the mean is kept, are our choices.

    Raises:
        BadModel: the rate is above 0, and the attention heads of the backbone cannot be found.
    """
    import torch

    if not rate:
        yield
        return
    readers = [module for name, module in backbone.named_modules() if name.endswith(BEHIND)]
    if not readers:
        raise BadModel(
            f"{type(backbone).__name__} has no attention heads that could be left out.", way_out="Set drophead to 0."
        )
    heads = int(backbone.config.num_attention_heads)

    def drop(module: "nn.Module", given: "tuple[Tensor, ...]") -> "tuple[Tensor, ...]":
        states = given[0]
        if not backbone.training:
            return given
        kept = torch.rand(len(states), heads, device=states.device) >= rate
        scale = (kept / (1 - rate)).to(states.dtype)
        return (states * scale.repeat_interleave(states.shape[-1] // heads, dim=1)[:, None], *given[1:])

    hooks = [module.register_forward_pre_hook(drop) for module in readers]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
