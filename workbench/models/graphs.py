"""The layers of a backbone as CUDA graphs: the calls of a training step take longer than its work on a GPU, and a graph is one.

A graph computes with the same memory each time, so tokens and texts must be as many: `unpadded` rounds them.
"""

import gc
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
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

    def __init__(self, *, pieces: int = 1) -> None:
        """`pieces` are the graphs of one pass, each of some layers: gradients come from a graph all at once, so whoever wants
        those of the last layers sooner takes several."""
        self.pieces = pieces
        self.free = False
        """Whether the next forward pass may use them."""
        self._seen: Counter[object] = Counter()
        self._made: dict[object, tuple[Callable[..., Tensor], ...]] = {}
        self._pool: Any = None
        self._full = False
        self._known: _Known | None = None

    @contextmanager
    def running(self, backbone: "Backbone", layout: "Unpadded") -> Iterator[None]:
        """A context in which the layers of a backbone run from a graph, if they are free and this size is worth one."""
        import torch

        if not self.free or layout.texts is None or not torch.is_grad_enabled() or not backbone.training:
            yield
            return
        self.free = False
        known = self._known
        if known is None or known.backbone is not backbone:
            known = self._known = _Known(backbone)
        layers = known.layers
        size = -(-len(layers) // self.pieces)
        cut = [layers[start : start + size] for start in range(0, len(layers), size)]
        calls: list[list[Callable[..., Tensor]]] = [[layer._call_impl for layer in piece] for piece in cut]

        def all_layers(states: "Tensor", *args: Any, unpadded: "Unpadded", **more: Any) -> "Tensor":
            texts = unpadded.texts
            assert texts is not None
            key = (id(backbone), states.shape, states.requires_grad, len(texts.starts), texts.width, *known.changing())

            def run_piece(number: int, states: "Tensor", starts: "Tensor", lengths: "Tensor") -> "Tensor":
                own = replace(unpadded, texts=replace(texts, starts=starts, lengths=lengths))
                for call in calls[number]:
                    states = call(states, *args, unpadded=own, **more)
                return states

            whole = [partial(run_piece, number) for number in range(len(cut))]
            made = self._made.get(key) or self._new(key, cut, whole, (states, texts.starts, texts.lengths))
            for run in made or whole:
                states = run(states, texts.starts, texts.lengths)
            return states

        for number, layer in enumerate(layers):
            layer._compiled_call_impl = _pass if number else all_layers
        try:
            yield
        finally:
            for layer in layers:
                layer._compiled_call_impl = None

    def _new(
        self,
        key: object,
        cut: "list[list[Any]]",
        whole: "Sequence[Callable[..., Tensor]]",
        inputs: "tuple[Tensor, ...]",
    ) -> "tuple[Callable[..., Tensor], ...] | None":
        """A graph of each piece of the layers, or None if they are not worth their memory or their time."""
        import torch

        self._seen[key] += 1
        if self._seen[key] <= BEFORE or len(self._made) >= MOST or self._full:
            return None
        if self._pool is None:
            self._pool = torch.cuda.graph_pool_handle()

        class Stack(torch.nn.Module):
            def __init__(self, layers: "list[Any]", forward: "Callable[..., Tensor]") -> None:
                super().__init__()
                self.layers = torch.nn.ModuleList(layers)
                self.forward = forward

        stacks, own, slopes = [], [], inputs[0].requires_grad
        for layers, forward in zip(cut, whole, strict=True):
            stacks.append(Stack(layers, forward))
            clones = tuple(tensor.detach().clone() for tensor in inputs)
            clones[0].requires_grad_(slopes)
            own.append(clones)
            slopes = slopes or any(weight.requires_grad for weight in stacks[-1].parameters())
        try:
            with _making(inputs[0].device):
                make: Any = torch.cuda.make_graphed_callables
                made: tuple[Callable[..., Tensor], ...] = make(
                    tuple(stacks), tuple(own), allow_unused_input=True, pool=self._pool
                )
        except RuntimeError as error:  # no memory left, most likely; or something that a driver cannot capture
            logging.getLogger(__name__).warning(
                "No CUDA graph could be made (%s). This training goes on without them, slower.",
                error.__context__ or error,  # the first error, before those of ending a capture that failed
            )
            self._full = True
            self._made.clear()  # they would draw from the generator as it was
            return None
        self._made[key] = made
        return made


class _Known:
    """The parts of a backbone that each step asks for; finding them takes longer than the rest of what it does here."""

    def __init__(self, backbone: "Backbone") -> None:
        from torch import nn

        self.backbone, self.layers = backbone, layers_of(backbone)
        self._dropouts = [module for module in self.layers[0].modules() if isinstance(module, nn.Dropout)]
        self._weights = [weight for layer in self.layers for weight in layer.parameters()]

    def changing(self) -> tuple[tuple[float, ...], tuple[bool, ...]]:
        """The rates of dropout, and whether each weight is trained: what a graph computes with, and may differ next time."""
        rates = tuple(module.p for module in self._dropouts)
        return rates, tuple(weight.requires_grad for weight in self._weights)


@contextmanager
def _making(device: "torch.device") -> Iterator[None]:
    """A context to make graphs in: the step that follows draws the random numbers that it would have drawn without."""
    import torch

    state = torch.cuda.get_rng_state(device)
    collecting = gc.isenabled()
    gc.disable()  # a graph of an earlier training, in a circle of references, must not be freed while this one is captured
    try:
        yield
    except RuntimeError:
        # The generator still waits for the end of the capture, and would refuse to draw anything outside of it.
        torch.cuda.default_generators[device.index].graphsafe_set_state(torch.Generator(device))
        raise
    finally:
        if collecting:
            gc.enable()
        torch.cuda.set_rng_state(state, device)


def layers_of(backbone: "Backbone") -> "list[nn.Module]":
    """The transformer layers of a backbone: the longest list of modules in it."""
    from torch import nn

    lists = [module for module in backbone.modules() if isinstance(module, nn.ModuleList)]
    return list(max(lists, key=len, default=()))


def _pass(states: "Tensor", *_: object, **__: object) -> "Tensor":
    """A layer whose work is done by the graph of all layers."""
    return states
