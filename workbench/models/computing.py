"""A backbone prepared to compute in one precision: weights rounded once, padding left out, gradients collected."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from workbench.core.device import at_hand, queues, sent
from workbench.models import unpadded
from workbench.models.alterations import Alteration, altering
from workbench.models.attention import attention_mask, using
from workbench.models.thread_pool import ThreadPool

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Generator, Tensor, nn

    from workbench.models.backbone import Backbone
    from workbench.models.graphs import Graphs

    Ids = Int[Tensor, "batch tokens"]
    States = Float[Tensor, "batch tokens dim"]
    Ready = Callable[[nn.Parameter, Tensor], None]


class Leaf(NamedTuple):
    """A tensor used in computing, the parameter it stands for, and which of its rows it holds (None: all)."""

    used: "Tensor"
    owner: "nn.Parameter"
    rows: "Tensor | None"

    def add(self, parts: "Sequence[Tensor]", gradient: "Tensor", *, new: bool) -> None:
        """Add these to the parameter's gradient, in fp32. If it is `new`, it holds no numbers yet."""
        import torch

        if self.rows is not None:
            if new:
                gradient.zero_()
            gradient.index_add_(0, self.rows, torch.stack([part.float() for part in parts]).sum(0))
            return
        total = gradient if new else gradient.new_zeros(gradient.shape)
        total.copy_(parts[0])
        for part in parts[1:]:
            total += part
        if not new:
            gradient += total


@dataclass(frozen=True)
class Computing:
    """A function from (ids, mask) to fp32 states, and what its gradients need.

    `backbone` is the module that computes: the encoder's, or its copy in bf16.
    """

    backbone: "Backbone"
    every_layer: bool
    leaves: "tuple[Leaf, ...]" = field(default=(), repr=False)
    unpadded: bool = False
    """Whether padding is left out."""
    attention: str | None = None
    """The attention implementation to use; None for the backbone's default."""
    lookup: "Callable[[Tensor], Tensor] | None" = field(default=None, repr=False)
    """A function from ids to word embeddings that replaces the embedding table; None to use the table."""
    kept: "dict[nn.Parameter, Tensor]" = field(default_factory=dict, repr=False)
    """Memory for the gradients of tables, to be used again for the next batch."""

    @property
    def shared(self) -> bool:
        """Whether several threads may compute at once: on a CPU without padding, where nothing global is changed."""
        return self.unpadded and self.backbone.device.type == "cpu"

    def sent(self, tensor: "Tensor") -> "Tensor":
        """A tensor in CPU memory, on the backbone's device."""
        return sent(tensor, self.backbone.device)

    @contextmanager
    def active(self) -> Iterator[None]:
        """A context in which this can be called; the backbone must not be used for anything else in the meantime."""
        with (
            using(self.backbone, self.attention),
            forwarding(self.backbone.get_input_embeddings(), self.lookup),
        ):
            yield

    def __call__(
        self,
        ids: "Ids",
        mask: "Ids | None",
        generator: "Generator | None" = None,
        graphs: "Graphs | None" = None,
    ) -> "tuple[States, ...]":
        """States of every layer, index 0 the embedding output, or only of the last. `mask` may be None if nothing is padded.

        `ids` and `mask` are in CPU memory if padding is left out. On a CPU, the dropout of the attention then draws from
        `generator`. With `graphs`, its layers run from a CUDA graph where they can.
        """
        if self.unpadded and mask is not None:
            from workbench.models.fused_layers import fusing

            layout = unpadded.layout_of(self.backbone, ids, mask, generator)
            with fusing(self.backbone, layout.texts):
                found = unpadded.run(self.backbone, layout, self.every_layer, graphs)
            return tuple(layout.padded(states).float() for states in found)
        return self._padded(self.sent(ids), None if mask is None else self.sent(mask))

    def altered(self, ids: "Ids", mask: "Ids | None", alter: Alteration | None) -> "tuple[tuple[States, ...], Ids]":
        """(states, the mask that pooling must use) with `alter` applied before the first layer. Gradients flow.

        `ids` and `mask` are on the backbone's device. Only one thread at a time, because it uses hooks.
        """
        with using(self.backbone, "sdpa" if self.unpadded else None):
            with altering(self.backbone, alter or Alteration(), ids, mask) as seen:
                states = self._padded(ids, mask)
            return states, seen.mask

    def _padded(self, ids: "Ids", mask: "Ids | None") -> "tuple[States, ...]":
        return tuple(layer.float() for layer in padded(self.backbone, ids, mask, every_layer=self.every_layer))

    def gradients(self, outputs: "Tensor", given: "Tensor", ready: "Ready | None" = None) -> "list[Tensor | None]":
        """The gradient of (outputs * given).sum() for each leaf, or None. Several threads may call it at once.

        With `ready`, the gradients of parameters that are used whole are given to it as soon as they are computed, and are
        None in what is returned.
        """
        import torch

        leaves = [leaf.used for leaf in self.leaves]
        hooks = {}
        if ready is not None:
            uses = Counter(leaf.owner for leaf in self.leaves)
            whole = [number for number, leaf in enumerate(self.leaves) if leaf.rows is None and uses[leaf.owner] == 1]
            hooks = {
                number: leaves[number].register_hook(partial(ready, self.leaves[number].owner)) for number in whole
            }
        try:
            found = torch.autograd.grad(outputs, leaves, given.to(outputs.dtype), allow_unused=True)
        finally:
            for hook in hooks.values():
                hook.remove()
        return [None if number in hooks else one for number, one in enumerate(found)]

    def give(self, gradients_of: "Sequence[Sequence[Tensor | None]]", pool: ThreadPool | None = None) -> None:
        """Add gradients, always in the same order, to the `.grad` of the parameters that the leaves stand for.

        The threads of `pool` each take whole parameters.
        """
        import torch

        found = [
            [given for gradients in gradients_of if (given := gradients[number]) is not None]
            for number in range(len(self.leaves))
        ]
        if queues(self.backbone.device):
            self._give_together(found)
            return
        leaves_of: dict[nn.Parameter, list[int]] = {}
        for number, leaf in enumerate(self.leaves):
            if found[number]:
                leaves_of.setdefault(leaf.owner, []).append(number)
        new = {owner for owner in leaves_of if owner.grad is None}
        for owner in new:
            # Here, not in the threads: what they allocate is given back to the system at once, and each page of it that is
            # used again is first cleared. For the same reason a whole table's gradient is kept.
            kept = self.kept.get(owner)
            owner.grad = torch.empty_like(owner) if kept is None or kept.device != owner.device else kept
            if self.leaves[leaves_of[owner][0]].rows is not None:
                self.kept[owner] = owner.grad

        def add(owner: "nn.Parameter") -> None:
            with torch.no_grad():  # set per thread
                assert owner.grad is not None
                for place, number in enumerate(leaves_of[owner]):
                    self.leaves[number].add(found[number], owner.grad, new=owner in new and place == 0)

        # The largest first, so that no thread begins it when the others have nothing left to do.
        owners = sorted(leaves_of, key=lambda owner: -owner.numel())
        for _ in map(add, owners) if pool is None or pool.size == 1 else pool.map(add, owners):
            pass

    def _give_together(self, parts_of: "Sequence[Sequence[Tensor]]") -> None:
        """See `give`; on a GPU, where a call for each parameter takes longer than adding its gradient."""
        import torch

        with torch.no_grad():
            whole: dict[nn.Parameter, list[Tensor]] = {}
            for leaf, parts in zip(self.leaves, parts_of, strict=True):
                if leaf.rows is None:
                    whole.setdefault(leaf.owner, []).extend(parts)
            for number in range(max(map(len, whole.values()), default=0)):
                owners = [owner for owner, parts in whole.items() if number < len(parts)]
                added = [torch.empty_like(owner) for owner in owners]
                torch._foreach_copy_(added, [whole[owner][number] for owner in owners])
                if more := [
                    (owner.grad, one) for owner, one in zip(owners, added, strict=True) if owner.grad is not None
                ]:
                    torch._foreach_add_([total for total, _ in more], [one for _, one in more])
                for owner, one in zip(owners, added, strict=True):
                    owner.grad = one if owner.grad is None else owner.grad
            for leaf, parts in zip(self.leaves, parts_of, strict=True):
                if parts and leaf.rows is not None:
                    first = leaf.owner.grad is None
                    if leaf.owner.grad is None:
                        leaf.owner.grad = torch.empty_like(leaf.owner)
                    leaf.add(parts, leaf.owner.grad, new=first)


def padded(backbone: "Backbone", ids: "Ids", mask: "Ids | None", *, every_layer: bool) -> "tuple[States, ...]":
    """See `states_of`, computed by the backbone itself with padding. `mask` may be None if nothing is padded."""
    given = None if mask is None else attention_mask(backbone, mask)
    output = backbone(input_ids=ids, attention_mask=given, output_hidden_states=every_layer)
    return (*output.hidden_states[:-1], output.last_hidden_state) if every_layer else (output.last_hidden_state,)


def states_of(
    backbone: "Backbone",
    ids: "Ids",
    mask: "Ids",
    *,
    every_layer: bool = False,
    first: "Float[Tensor, 'batch dim'] | None" = None,
) -> "tuple[States, ...]":
    """States of every layer of a backbone, index 0 the embedding output, or only of the last; gradients go to its weights.

    `first` are vectors that replace the embedding of each text's first token, and have the same width. On a CPU, with
    backbones that support it, padding is left out and its states are 0: it can be half of all tokens if a batch mixes
    texts of all lengths. Computed in the precision that autocast sets.
    """
    if at_hand(mask) and unpadded.supports(backbone) and bool((mask[:, 1:] <= mask[:, :-1]).all()):
        unpadded.register()
        layout = unpadded.layout_of(backbone, ids, mask)
        with using(backbone, unpadded.NAME), _beginning(backbone, layout, first):
            return tuple(layout.padded(states) for states in unpadded.run(backbone, layout, every_layer))
    if first is not None:

        def put(states: "Tensor", mask: "Tensor") -> "tuple[Tensor, Tensor]":
            import torch

            return torch.cat([first[:, None].to(states.dtype), states[:, 1:]], dim=1), mask

        with altering(backbone, Alteration(states=put), ids, mask):
            return padded(backbone, ids, mask, every_layer=every_layer)
    return padded(backbone, ids, mask, every_layer=every_layer)


@contextmanager
def _beginning(backbone: "Backbone", layout: unpadded.Unpadded, first: "Tensor | None") -> Iterator[None]:
    """A context in which `first` replaces the embedding of each text's first token; None changes nothing."""
    if first is None:
        yield
        return
    width = layout.shape[1]
    starts = (layout.places % width == 0).nonzero()[:, 0]
    own = first[layout.places[starts] // width][None]
    hook = backbone.embeddings.register_forward_hook(
        lambda _, given, states: states.index_copy(1, starts, own.to(states.dtype))
    )
    try:
        yield
    finally:
        hook.remove()


@contextmanager
def forwarding(module: "nn.Module", forward: "Callable[[Tensor], Tensor] | None") -> Iterator[None]:
    """A context in which `module` uses another forward; None changes nothing."""
    if forward is None:
        yield
        return
    module.forward = forward
    try:
        yield
    finally:
        module.__dict__.pop("forward", None)
