"""The head of self-guided contrastive learning: two wide dense layers, each followed by GELU."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from torch import nn


def sg_opt_mlp(dim: int, *, width: Annotated[int, Knob(1, 16384, 1, "Size of both layers.")] = 4096) -> "nn.Sequential":
    """Linear(dim, width), GELU, Linear(width, width), GELU; weights drawn with standard deviation 0.02, biases 0.

    A module from (batch, dim) to (batch, width).

    Prefer it over `mlp` where vectors of different layers share a head, as in SG-OPT, and over `projector` for batches of one:
    it has no batch normalisation.

    >>> sum(weight.numel() for weight in sg_opt_mlp(3, width=4).parameters())  # 3 * 4 + 4 + 4 * 4 + 4
    36
    """
    from torch import nn

    layers = nn.Linear(dim, width), nn.Linear(width, width)
    for layer in layers:
        nn.init.normal_(layer.weight, std=0.02)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.GELU(), layers[1], nn.GELU())


METHOD = Method(
    sg_opt_mlp,
    title="Two wide layers with GELU",
    source="Kim, Yoo and Lee 2021 (SG-OPT), https://aclanthology.org/2021.acl-long.197",
)
