"""The layers of a backbone as CUDA graphs: the calls of a training step take longer than its work on a GPU, and a graph is one.

A graph computes with the same memory each time, so tokens and texts must be as many: `unpadded` rounds them.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.models.backbone import Backbone
    from workbench.models.unpadded import Unpadded

BEFORE = 1
"""How often a number of tokens occurs before its graph is made, which takes about as long as five steps."""
MOST = 16
"""Graphs of one training. Batches of other sizes run without one."""


class Graphs:
    """The graphs of one training. Their memory is shared, so a forward pass from one must be followed by its backward pass
    before the next forward pass."""

    def __init__(self) -> None:
        self.free = False
        """Whether the next forward pass may use them."""
        self._seen: Counter[object] = Counter()
        self._made: dict[object, Callable[..., Tensor]] = {}
        self._pool: Any = None
        self._full = False

    @contextmanager
    def running(self, backbone: "Backbone", layout: "Unpadded") -> Iterator[None]:
        """A context in which the layers of a backbone run from a graph, if they are free and this size is worth one."""
        import torch

        if not self.free or layout.texts is None or not torch.is_grad_enabled() or not backbone.training:
            yield
            return
        self.free = False
        layers = layers_of(backbone)
        calls: list[Callable[..., Tensor]] = [layer._call_impl for layer in layers]

        def all_layers(states: "Tensor", *args: Any, unpadded: "Unpadded", **more: Any) -> "Tensor":
            texts = unpadded.texts
            assert texts is not None
            rates = tuple(module.p for module in layers[0].modules() if isinstance(module, torch.nn.Dropout))
            trained = tuple(weight.requires_grad for layer in layers for weight in layer.parameters())
            key = (id(backbone), states.shape, states.requires_grad, len(texts.starts), texts.width, rates, trained)

            def whole(states: "Tensor", starts: "Tensor", lengths: "Tensor") -> "Tensor":
                own = replace(unpadded, texts=replace(texts, starts=starts, lengths=lengths))
                for call in calls:
                    states = call(states, *args, unpadded=own, **more)
                return states

            inputs = states, texts.starts, texts.lengths
            run = self._made.get(key) or self._new(key, layers, whole, inputs) or whole
            return run(*inputs)

        for number, layer in enumerate(layers):
            layer._compiled_call_impl = _pass if number else all_layers
        try:
            yield
        finally:
            for layer in layers:
                layer._compiled_call_impl = None

    def _new(
        self, key: object, layers: "list[Any]", whole: "Callable[..., Tensor]", inputs: "tuple[Tensor, ...]"
    ) -> "Callable[..., Tensor] | None":
        """A graph of all layers, or None if it is not worth its memory or its time."""
        import torch

        self._seen[key] += 1
        if self._seen[key] <= BEFORE or len(self._made) >= MOST or self._full:
            return None
        if self._pool is None:
            self._pool = torch.cuda.graph_pool_handle()

        class Stack(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.layers = torch.nn.ModuleList(layers)
                self.forward = whole

        own = tuple(tensor.detach().clone().requires_grad_(tensor.requires_grad) for tensor in inputs)
        device = inputs[0].device
        # Making it draws random numbers; the step that follows draws those that it would have drawn without.
        state = torch.cuda.get_rng_state(device)
        try:
            make: Any = torch.cuda.make_graphed_callables
            made: Callable[..., Tensor] = make(Stack(), own, allow_unused_input=True, pool=self._pool)
        except torch.cuda.OutOfMemoryError:
            logging.getLogger(__name__).warning(
                "There is no memory for CUDA graphs; this training goes on without them."
            )
            self._full = True
            return None
        finally:
            torch.cuda.set_rng_state(state, device)
        self._made[key] = made
        return made


def layers_of(backbone: "Backbone") -> "list[nn.Module]":
    """The transformer layers of a backbone: the longest list of modules in it."""
    from torch import nn

    lists = [module for module in backbone.modules() if isinstance(module, nn.ModuleList)]
    return list(max(lists, key=len, default=()))


def _pass(states: "Tensor", *_: object, **__: object) -> "Tensor":
    """A layer whose work is done by the graph of all layers."""
    return states
