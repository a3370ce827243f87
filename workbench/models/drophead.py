"""DropHead: whole attention heads are dropped, drawn separately for each text."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workbench.core.errors import BadModel

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.models.backbone import Backbone

BEHIND = ("attention.output.dense", "attention.attn.o", "attention.out_lin")
"""What reads all heads of a layer side by side: in BERT, ELECTRA and RoBERTa, in MPNet, in DistilBERT."""


@contextmanager
def dropping_heads(backbone: "Backbone", rate: float) -> Iterator[None]:
    """Inside, each head of each layer is zero for a text with probability `rate`, the others scaled by 1 / (1 - rate).

    In train mode only. One draw a text, layer and head by torch's own generator; texts are the first axis of a batch. That
    heads are drawn for each text, and scaled so that the mean stays, is our choice.

    Raises:
        BadModel: a rate above 0, and no layer whose heads could be found.
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
