"""Which attention a backbone computes with, and the mask that it is given."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workbench.core.device import at_hand

if TYPE_CHECKING:
    from jaxtyping import Int
    from torch import Tensor

    from workbench.models.backbone import Backbone


def attention_mask(backbone: "Backbone", mask: "Int[Tensor, 'batch tokens']") -> "Tensor":
    """The mask as a backbone takes it: (batch, tokens), or for a GPU (batch, 1, tokens, tokens).

    For the former the library checks whether anything is masked, which would make the host wait for a GPU.
    """
    if at_hand(mask) or backbone.config._attn_implementation != "sdpa":
        return mask
    return mask.bool()[:, None, None].expand(-1, -1, mask.shape[1], -1)


@contextmanager
def using(backbone: "Backbone", attention: str | None) -> Iterator[None]:
    """A context with another attention; None leaves it as it is."""
    before = backbone.config._attn_implementation
    if attention is None or attention == before:
        yield
        return
    # By the configuration, which every layer reads at each call: the setter would look the name up on the network.
    backbone.config._attn_implementation = attention
    try:
        yield
    finally:
        backbone.config._attn_implementation = before
