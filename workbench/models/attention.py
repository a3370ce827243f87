"""The attention implementation that a backbone uses, and the mask it gets."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workbench.core.device import at_hand

if TYPE_CHECKING:
    from jaxtyping import Int
    from torch import Tensor

    from workbench.models.backbone import Backbone


def attention_mask(backbone: "Backbone", mask: "Int[Tensor, 'batch tokens']") -> "Tensor | dict[str, Tensor]":
    """The mask to pass to a backbone: (batch, tokens), or on a GPU with sdpa (batch, 1, tokens, tokens), where ModernBERT takes
    one for each kind of layer.

    With the former shape the library checks whether anything is masked, which would make the host wait for a GPU.
    """
    if at_hand(mask) or backbone.config._attn_implementation != "sdpa":
        return mask
    import torch

    width = mask.shape[1]
    whole = mask.bool()[:, None, None].expand(-1, -1, width, -1)
    if not getattr(backbone.config, "layer_types", None):
        return whole
    places = torch.arange(width, device=mask.device)
    near = (places[:, None] - places).abs() <= backbone.config.sliding_window
    return {"full_attention": whole, "sliding_attention": whole & near}


@contextmanager
def using(backbone: "Backbone", attention: str | None) -> Iterator[None]:
    """A context in which the backbone uses another attention implementation; None leaves it unchanged."""
    before = backbone.config._attn_implementation
    if attention is None or attention == before:
        yield
        return
    # Set in the configuration, which every layer reads at each call: the setter would look the name up on the network.
    backbone.config._attn_implementation = attention
    try:
        yield
    finally:
        backbone.config._attn_implementation = before
