"""How a batch becomes views: equal requests of all terms are encoded once, those with the same dropout policy together."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.augmentations import inside
from workbench.augmentations.inside import Planned
from workbench.core.config import Term, View
from workbench.core.device import placed
from workbench.core.errors import BadSetting
from workbench.core.seeds import seeded
from workbench.models.alterations import Alteration
from workbench.models.graphs import Graphs
from workbench.models.thread_pool import thread_pool
from workbench.models.walks import set_mode
from workbench.objectives._following import follows, leader
from workbench.training.micro_batches import LEAST_TOKENS, MOST, MicroBatches
from workbench.training.requests import ViewKey, key, requests
from workbench.training.texts import Texts

if TYPE_CHECKING:
    from torch import Generator, Tensor

    from workbench.models.computing import Computing, Ready
    from workbench.models.tokens import TokenTable


class Supervised(NamedTuple):
    """The supervised terms of a step, and their loss as a function of the vectors of all views that follow no gradient."""

    terms: Sequence[Term]
    loss: "Callable[[dict[ViewKey, Tensor]], Tensor]"


class Views:
    """Encodes the views of one batch at a time. There is one instance per run."""

    def __init__(self, texts: Texts, terms: Sequence[Term]) -> None:
        """`terms` are those that `texts` was made for."""
        import torch

        self.texts, self.encoder = texts, texts.encoder
        self.views = requests(terms)
        self._work: list[MicroBatches] = []
        self.tokens = 0
        """How many tokens the views of the latest batch have, without padding."""
        self._again = False
        self.graphs = Graphs() if self.encoder.device.type == "cuda" else None
        self._states: Computing
        self.thread_pool = thread_pool(torch.get_num_threads()) if self.encoder.device.type == "cpu" else None

    def cut(self, parts: int) -> tuple[int, int]:
        """(most micro-batches of a batch like the latest, `parts` unless 0; how many of them are computed at the same time)."""
        shared = self.thread_pool.size if self.thread_pool and any(work.thread_pool for work in self._work) else 0
        return parts or shared or MOST, shared or 1

    def groups(
        self, rows: np.ndarray, epoch: int, views: Sequence[View] | None = None
    ) -> dict[str | float, list[tuple[View, "TokenTable", np.ndarray]]]:
        """The token rows of each view, grouped by dropout policy."""
        groups: dict[str | float, list[tuple[View, TokenTable, np.ndarray]]] = {}
        self.texts.shown = {}
        for view in self.views if views is None else views:
            found = self.texts.show(view, rows, epoch)
            groups.setdefault(view.dropout, []).append((view, found.table, found.rows))
        return groups

    def encode(
        self,
        rows: np.ndarray,
        *,
        epoch: int,
        pooling: str,
        rate: float,
        parts: int,
        heads: float = 0.0,
        memory_parts: int = 0,
        precision: str = "fp32",
        cancelled: Callable[[], bool] = lambda: False,
        views: Sequence[View] | None = None,
        supervised: Supervised | None = None,
    ) -> dict[ViewKey, "Tensor"] | None:
        """One (batch, dim) fp32 tensor per view (of `views`, or of all), rows in batch order; None if cancelled meanwhile.

        For views with dropout on, `rate` is the dropout and `heads` the rate at which whole attention heads are dropped.
        Views with the same dropout policy share `parts` micro-batches of similar length (0: as many as are worth their cost).
        The tensors are leaves: once the loss has given them gradients, `backward` carries these on into the backbone. With
        `memory_parts`, there are that many micro-batches, which keep no states for it: each is recomputed, with the same
        dropout.

        Views that follow a gradient are encoded after the others, from whose vectors `supervised` computes a loss. The
        gradient of that loss, at the embedding output of the view that they follow, is a constant from then on.

        Raises:
            BadSetting: a view follows a gradient, but no supervised term has its texts.
        """
        groups = self.groups(rows, epoch, views)
        self._work = []
        self.tokens = sum(int(table.lengths[picked].sum()) for items in groups.values() for _, table, picked in items)
        if not groups:
            return {}
        leaders = self._leaders([view for items in groups.values() for view, _, _ in items], supervised)
        vocabulary = np.concatenate(
            [table.picked(picked).ids for items in groups.values() for _, table, picked in items]
        )
        self._again = bool(memory_parts)
        if self.graphs is not None:
            # A chunk has no backward pass yet when the next one is encoded.
            self.graphs.free = not self._again
        # Heads are dropped per text, so each text needs its own row.
        unpadded = not (heads and "on" in groups)
        # Rounding the weights once and staying in bf16 is a fifth faster than autocast, which casts back and forth.
        self._states = self.encoder.prepared(precision, pooling=pooling, vocabulary=vocabulary, unpadded=unpadded)
        found: dict[ViewKey, Tensor] = {}
        gradients: dict[ViewKey, Tensor] = {}
        for following in (False, True):
            stage = {
                policy: some
                for policy, items in groups.items()
                if (some := [item for item in items if (key(item[0]) in leaders) == following])
            }
            if not stage:
                continue
            if following:
                assert supervised is not None  # else `_leaders` would have raised
                gradients = self._followed(supervised.loss(found), leaders)
            with self._computing():
                work = self._encoded(
                    stage, pooling, (rate, heads), memory_parts or parts, gradients, leaders, cancelled
                )
            if work is None:
                return None
            self._work += work
            found |= self._leaves(work)
        return found

    def _leaders(self, views: Sequence[View], supervised: Supervised | None) -> dict[ViewKey, ViewKey]:
        """For each view that follows a gradient, the view at whose embedding output that gradient is taken."""
        found: dict[ViewKey, ViewKey] = {}
        for view in views:
            if follows(view):
                first = leader(view, supervised.terms if supervised else ())
                if first is None:
                    raise BadSetting(
                        f"{view.augmentation} follows the gradient of a supervised loss, but no supervised term has its texts."
                    )
                found[key(view)] = key(first)
        return found

    def _encoded(
        self,
        groups: Mapping[str | float, list[tuple[View, "TokenTable", np.ndarray]]],
        pooling: str,
        noise: tuple[float, float],
        parts: int,
        gradients: "Mapping[ViewKey, Tensor]",
        leaders: Mapping[ViewKey, ViewKey],
        cancelled: Callable[[], bool],
    ) -> list[MicroBatches] | None:
        """The micro-batches of each group of views, with their vectors in `outputs`; None if cancelled meanwhile."""
        import torch

        states, done = self._states, []
        for policy, items in groups.items():
            keys = [key(view) for view, _, _ in items]
            led = frozenset(place for place, own in enumerate(keys) if own in leaders.values())
            altered = bool(led) or any(
                self.texts.pipelines[view.augmentation].at("positions", "states") for view, _, _ in items
            )
            value, heads = noise if policy == "on" else (0.0 if policy == "off" else float(policy), 0.0)
            unpadded = states.unpadded and not altered
            threads = self.thread_pool if unpadded else None
            own = {place: gradients[one] for place, one in enumerate(keys) if one in gradients}
            least = 0 if self.encoder.device.type == "cpu" else LEAST_TOKENS
            # Without padding there is none to save.
            count = 1 if least and unpadded else 0
            work = MicroBatches(items, parts or count, threads, value, heads, altered, pooling, own, led, least)
            # One generator for each micro-batch: threads draw in no particular order.
            work.seeds = torch.randint(2**62, (len(work.micro_batches),)).tolist()

            def vectors(number: int, work: MicroBatches = work) -> "Tensor | None":
                with torch.set_grad_enabled(torch.is_grad_enabled() and not self._again):  # set per thread
                    return self._micro_batch(states, work, number, cancelled)

            with self._noisy(work, states):
                outputs = list(work.share(vectors))
                work.outputs = [output for output in outputs if output is not None]
            if len(work.outputs) < len(outputs):
                return None
            done.append(work)
        return done

    def _leaves(self, done: Sequence[MicroBatches]) -> dict[ViewKey, "Tensor"]:
        """(rows, dim) vectors of each encoded view: leaves, or what the view's pipeline makes of them."""
        import torch

        leaves = {view: leaf for work in done for view, leaf in work.join().items()}
        if self._again:
            for work in done:
                work.outputs = []
        generator = torch.Generator(self.encoder.device).manual_seed(int(torch.randint(2**62, ())))
        return {key(view): self.moved(view, leaf, generator) for view, leaf in leaves.items()}

    def _followed(self, loss: "Tensor", leaders: Mapping[ViewKey, ViewKey]) -> dict[ViewKey, "Tensor"]:
        """For each view that follows, the gradient of a loss at the embedding output of the view that it follows.

        It stops there: no parameter receives any of it.
        """
        import torch

        leaves = [leaf for work in self._work for leaf in work.leaves]
        # The graph is kept: the supervised loss has its own backward pass later, also through the pipelines' vector steps.
        given = iter(torch.autograd.grad(loss, leaves, allow_unused=True, retain_graph=True))
        at: dict[ViewKey, Tensor] = {}
        for work in self._work:
            micro_batches = work.given([next(given) for _ in work.leaves])
            if not work.led:
                continue
            found = []
            for number, own in enumerate(micro_batches):
                if self._again:
                    with torch.enable_grad(), self._computing() as states, self._noisy(work, states):
                        output = self._micro_batch(states, work, number)
                else:
                    output = work.outputs[number]
                assert output is not None
                (one,) = torch.autograd.grad(
                    output, work.embedded[number], own.to(output.dtype), retain_graph=not self._again
                )
                found.append(one)
            at |= {key(work.items[place][0]): work.at_embeddings(place, found) for place in work.led}
            work.led, work.embedded = frozenset(), {}
        return {view: at[first] for view, first in leaders.items()}

    @contextmanager
    def _computing(self) -> "Iterator[Computing]":
        """The backbone in train mode, as it was prepared for the latest batch."""
        states = self._states
        with states.active():
            set_mode(states.backbone, training=True)
            yield states

    def _noisy(self, work: MicroBatches, states: "Computing") -> AbstractContextManager[None]:
        """A context with the dropout of these micro-batches."""
        return self.encoder.dropout(work.rate, states.backbone, work.heads)

    def _micro_batch(
        self, states: "Computing", work: MicroBatches, number: int, cancelled: Callable[[], bool] = lambda: False
    ) -> "Tensor | None":
        """The (rows, dim) vectors of one micro-batch, the same on each call; None if cancelled."""
        import torch

        if cancelled():
            return None
        encoder = self.encoder
        ids, mask = work.batch(number)
        seed = work.seeds[number]
        generator = torch.Generator(encoder.device).manual_seed(seed)
        if states.shared and not work.altered:
            with encoder.drawing(generator):
                return encoder.pool(states(ids, mask, generator), ids, mask, work.pooling)
        # Here the fused kernels draw, and they only use torch's global generator.
        with seeded(seed, "dropout", device=str(encoder.device)):
            if work.altered:
                ids, mask = states.sent(ids), states.sent(mask)
                hidden, mask = states.altered(ids, mask, self.alteration(work, number, generator))
            else:
                hidden = states(ids, mask, graphs=self.graphs)
                ids, mask = states.sent(ids), states.sent(mask)
        return encoder.pool(hidden, ids, mask, work.pooling)

    def alteration(self, work: MicroBatches, number: int, generator: "Generator") -> Alteration:
        """What the pipelines of a micro-batch's views do to its positions and states, each to its view's rows only."""
        import torch

        owner = work.owner[work.micro_batches[number]]
        planned = []
        for place, (view, _, _) in enumerate(work.items):
            rows = placed(np.flatnonzero(owner == place), self.encoder.device)
            followed = partial(work.followed, number, place)
            for step in self.texts.pipelines[view.augmentation].at("positions", "states"):
                acting = partial(_some, rows, step.probability, generator)
                planned.append(Planned(step, acting, generator, followed))
        found = inside.alteration(planned)

        def states(values: "Tensor", mask: "Tensor") -> "tuple[Tensor, Tensor]":
            if work.led and torch.is_grad_enabled():
                # All parameters before this point may be frozen.
                work.embedded[number] = values if values.requires_grad else values.requires_grad_()
            return (values, mask) if found.states is None else found.states(values, mask)

        return Alteration(found.positions, states)

    def moved(self, view: View, vectors: "Tensor", generator: "Generator") -> "Tensor":
        """The vectors of a view after its pipeline's vector steps, which take other vectors from the same batch."""
        import torch

        rows = torch.arange(len(vectors), device=vectors.device)
        steps = self.texts.pipelines[view.augmentation].at("vectors")
        return inside.moved(
            [Planned(step, partial(_some, rows, step.probability, generator), generator) for step in steps], vectors
        )

    def backward(self, ready: "Ready | None" = None) -> None:
        """Carry the gradients of the latest batch's vectors on into the backbone's parameters.

        With `ready`, what the last micro-batch adds to a parameter is given to it as soon as it is computed, unless threads
        share the work.
        """
        with self._computing() if self._again and self._work else nullcontext():
            for left, work in zip(reversed(range(len(self._work))), self._work, strict=True):
                self._backward(work, None if left or work.shared else ready)
        self._work = []

    def _backward(self, work: MicroBatches, ready: "Ready | None") -> None:
        """See `backward`; of the micro-batches of one dropout policy."""
        given, states = work.given(), self._states
        last = len(given) - 1

        def gradients_of(number: int) -> "list[Tensor | None]":
            output = self._once_more(work, number) if self._again else work.outputs[number]
            return states.gradients(output, given[number], ready if number == last else None)

        if not self._again and ready is None:
            states.give(list(work.share(gradients_of)), self.thread_pool)
            return
        with self._noisy(work, states) if self._again else nullcontext():
            for found in work.share(gradients_of):
                states.give([found])  # here: threads would begin it only once all micro-batches are computed

    def _once_more(self, work: MicroBatches, number: int) -> "Tensor":
        """The vectors of a micro-batch, recomputed, now with gradient."""
        import torch

        with torch.enable_grad():  # set per thread
            output = self._micro_batch(self._states, work, number)
        assert output is not None
        return output


def _some(rows: "Tensor", probability: float, generator: "Generator") -> "Tensor":
    """The rows on which a step acts, each drawn with `probability`."""
    import torch

    drawn = torch.rand(len(rows), generator=generator, device=rows.device)
    # At probability 1 all rows are taken, without waiting for the GPU.
    return rows if probability >= 1 else rows[drawn < probability]
