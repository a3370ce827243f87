"""The layers of a backbone, compiled: fusing their element-wise work takes seconds once, and pays off in long trainings."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from torch import nn

    from workbench.models.backbone import Backbone

_KNOWN: "WeakKeyDictionary[nn.Module, Callable[..., object]]" = WeakKeyDictionary()


def layers_of(backbone: "Backbone") -> "list[nn.Module]":
    """The transformer layers of a backbone: the longest list of modules in it."""
    from torch import nn

    lists = [module for module in backbone.modules() if isinstance(module, nn.ModuleList)]
    return list(max(lists, key=len, default=()))


@contextmanager
def compiling(backbone: "Backbone", compiled: bool) -> Iterator[None]:
    """A context in which each layer of the backbone runs compiled, or as it is.

    All layers share one compiled code, and all numbers of texts and tokens share it too. torch compiles again at most eight
    times, for other dropout rates say, and then goes on without.
    """
    import torch

    layers = layers_of(backbone)
    before = [layer._compiled_call_impl for layer in layers]
    for layer in layers:
        if compiled and layer not in _KNOWN:
            _KNOWN[layer] = torch.compile(layer._call_impl, dynamic=True)
        layer._compiled_call_impl = _KNOWN[layer] if compiled else None
    try:
        yield
    finally:
        for layer, own in zip(layers, before, strict=True):
            layer._compiled_call_impl = own
