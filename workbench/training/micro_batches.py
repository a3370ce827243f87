"""A batch cut into micro-batches, which are encoded one after another or by several threads at once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from workbench.core.config import View
from workbench.core.device import placed
from workbench.models.thread_pool import ThreadPool
from workbench.models.tokens import TokenTable, end_to_end

if TYPE_CHECKING:
    from torch import Tensor

Result = TypeVar("Result")
MOST = 4
"""Most micro-batches where padding is computed: more would save more padding but cost more calls."""
LEAST_TOKENS = 32768
"""Padded tokens that a micro-batch must have to be worth its calls on a GPU, which are made layer by layer. On one H200, the
calls of both passes of BERT-base took 36 ms of the processor's time, and those of 32,768 tokens 58 ms in all."""


class MicroBatches:
    """The views of one dropout policy, in micro-batches that are encoded one after another or by several threads at once."""

    def __init__(
        self,
        items: list[tuple[View, TokenTable, np.ndarray]],
        parts: int,
        thread_pool: ThreadPool | None,
        rate: float,
        heads: float,
        altered: bool,
        pooling: str,
        gradients: "Mapping[int, Tensor]",
        led: frozenset[int],
        least: int,
    ) -> None:
        """`gradients` are the gradients that some views follow, and `led` the views that others follow, both by index in
        `items`. For `least` see `worth`."""
        self.items, self.thread_pool, self.altered, self.pooling = items, thread_pool, altered, pooling
        self.rate, self.heads = rate, heads
        self.gradients, self.led = gradients, led
        self.embedded: dict[int, Tensor] = {}
        """The embedding output of each micro-batch that has views which others follow, by micro-batch number."""
        self.seeds: list[int] = []
        self.table = end_to_end([table.picked(picked) for _, table, picked in items])
        lengths = self.table.lengths
        order = np.argsort(lengths, kind="stable")
        counts = [len(picked) for _, _, picked in items]
        self.owner = np.repeat(np.arange(len(items)), counts)
        self.within = np.concatenate([np.arange(count) for count in counts])
        if thread_pool is not None:
            # No padding to save: each micro-batch has texts of all lengths, so that all take the same time.
            count = min(parts or thread_pool.size, len(order))
            self.micro_batches = [order[start::count] for start in range(count)]
        else:
            self.micro_batches = np.array_split(order, min(parts or worth(lengths, least), len(order)))
        self.outputs: list[Tensor] = []

    def share(self, compute: "Callable[[int], Result]") -> "Iterator[Result]":
        """The result of `compute` for each micro-batch number, in order."""
        numbers = range(len(self.micro_batches))
        return self.thread_pool.map(compute, numbers) if self.thread_pool and self.shared else map(compute, numbers)

    @property
    def shared(self) -> bool:
        """Whether several threads share the micro-batches."""
        return self.thread_pool is not None and self.thread_pool.size > 1

    def batch(self, number: int) -> "tuple[Tensor, Tensor]":
        """Ids and mask of a micro-batch in CPU memory, both (rows, tokens)."""
        return self.table.batch(self.micro_batches[number])

    def join(self) -> "dict[View, Tensor]":
        """A (rows, dim) fp32 leaf tensor for each view, rows in batch order."""
        import torch

        joined = torch.cat([output.detach() for output in self.outputs])
        inverse = placed(np.argsort(np.concatenate(self.micro_batches), kind="stable"), joined.device)
        split = joined[inverse].float().split([len(picked) for _, _, picked in self.items])
        self.leaves = [tensor.clone().requires_grad_() for tensor in split]
        return {view: leaf for (view, _, _), leaf in zip(self.items, self.leaves, strict=True)}

    def given(self, gradients: "Sequence[Tensor | None] | None" = None) -> "list[Tensor]":
        """For each micro-batch the (rows, dim) gradient of its vectors, from `gradients` or, by default, from the leaves."""
        import torch

        own = [leaf.grad for leaf in self.leaves] if gradients is None else gradients
        pairs = zip(self.leaves, own, strict=True)
        whole = torch.cat([torch.zeros_like(leaf) if one is None else one for leaf, one in pairs])
        return [whole[placed(micro_batch, whole.device)] for micro_batch in self.micro_batches]

    def at_embeddings(self, number: int, gradients: "Sequence[Tensor]") -> "Tensor":
        """(rows, tokens, dim) gradient of one view at the embedding output, collected from those of the micro-batches."""
        _, table, picked = self.items[number]
        longest = int(table.lengths[picked].max())
        whole = gradients[0].new_zeros(len(picked), longest, gradients[0].shape[2])
        for micro_batch, one in zip(self.micro_batches, gradients, strict=True):
            rows = np.flatnonzero(self.owner[micro_batch] == number)
            own = placed(self.within[micro_batch[rows]], one.device)
            some = one[placed(rows, one.device), :longest]
            whole[own, : some.shape[1]] = some
        return whole

    def followed(self, number: int, view_number: int, rows: "Tensor", width: int) -> "Tensor":
        """(rows, width, dim): the gradient that a view follows, for some rows of a micro-batch."""
        import torch

        own = placed(self.within[self.micro_batches[number]], rows.device)[rows]
        some = self.gradients[view_number][own, :width]
        return torch.nn.functional.pad(some, (0, 0, 0, width - some.shape[1]))


def worth(lengths: np.ndarray, least: int) -> int:
    """How many micro-batches are worth their cost for texts of these lengths in tokens, if each needs `least` padded tokens.

    >>> worth(np.full(128, 32), 0), worth(np.full(128, 32), LEAST_TOKENS), worth(np.full(2048, 32), LEAST_TOKENS)
    (4, 1, 2)
    """
    padded = len(lengths) * int(lengths.max())
    return MOST if not least else max(1, min(MOST, padded // least))
