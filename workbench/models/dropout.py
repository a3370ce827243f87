"""Dropout for CPUs: the same distribution from a quarter of the random bits."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Generator, Tensor

    from workbench.models.backbone import Backbone

LEVELS = 2**16


def complete_dropout(backbone: "Backbone") -> None:
    """Give a backbone a module for each of its dropouts: ModernBERT leaves one out where its configuration has a rate of 0."""
    from torch import nn

    for module in backbone.modules():
        if isinstance(getattr(module, "out_drop", None), nn.Identity):
            module.out_drop = nn.Dropout(0.0)


def dropped(
    values: "Float[Tensor, '...']", rate: float, generator: "Generator | None" = None
) -> "Float[Tensor, '...']":
    """`values` with each element zeroed with probability `rate` and the rest scaled up; same shape and dtype.

    Draws come from `generator`, by default torch's global one. Four elements share one 64-bit draw, whereas torch draws for
    each. On a CPU, where the masks of a batch cost as much as several of its matrix products, this takes a third of the
    time. `rate` is rounded to 1/65,536, and the scale follows the rounded rate, so that in fp32 the mean stays exact. In
    bf16 the scale is rounded to 8 bits as well, and is up to 0.4 % off.
    """
    import torch

    cut = min(round(rate * LEVELS), LEVELS - 1)
    count = values.numel()
    draws = torch.empty((count + 3) // 4, dtype=torch.int64).random_(-(2**63), None, generator=generator)
    bits = draws.view(torch.int16)[:count].view(values.shape)
    keep = (bits >= cut - LEVELS // 2).to(values.dtype)
    return values * keep.mul_(LEVELS / (LEVELS - cut))
