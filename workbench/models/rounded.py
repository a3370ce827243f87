"""A copy of a backbone in bf16 that takes over the backbone's weights at each use."""

import copy
from typing import TYPE_CHECKING

from workbench.models.computing import Leaf
from workbench.models.walks import modules_of

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.models.backbone import Backbone


class Rounded:
    """A backbone and its copy in bf16, both on the device that the backbone was on."""

    def __init__(self, backbone: "Backbone") -> None:
        import torch

        self.backbone, self.half = backbone, copy.deepcopy(backbone).to(torch.bfloat16)
        pairs = list(zip(self.half.parameters(), backbone.parameters(), strict=True))
        self.leaves = [Leaf(weight, weight, None) for _, weight in pairs]
        """The backbone's parameters as they are."""
        self.rounded = [Leaf(rounded, weight, None) for rounded, weight in pairs]
        """Those of the copy, in the same order."""
        self.buffered = _buffered(self.half), _buffered(backbone)

    def follow(self, without: "Tensor | None" = None) -> "Backbone":
        """The copy, with the backbone's current weights and buffers, except one parameter's that the caller does not need. It
        is in the mode that its last user left it in."""
        import torch

        weights = [leaf for leaf in self.rounded if leaf.owner is not without]
        buffers, now = (_buffers(modules) for modules in self.buffered)
        with torch.no_grad():
            torch._foreach_copy_([leaf.used for leaf in weights], [leaf.owner for leaf in weights])
            torch._foreach_copy_(buffers, now)
        return self.half


def _buffered(model: "nn.Module") -> "list[nn.Module]":
    return [module for module in modules_of(model) if module._buffers]


def _buffers(modules: "list[nn.Module]") -> "list[Tensor]":
    return [buffer for module in modules for buffer in module._buffers.values() if buffer is not None]
