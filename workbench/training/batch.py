"""What an objective can use in a step besides vectors: texts, tokens, labels, numbers, and the backbone in training."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.config import Term
from workbench.core.device import placed, sent
from workbench.core.errors import BadData
from workbench.models.computing import states_of
from workbench.models.walks import set_mode
from workbench.objectives import _batch as asked
from workbench.training.processes import Processes
from workbench.training.requests import ViewKey, key
from workbench.training.texts import Texts

if TYPE_CHECKING:
    import torch
    from jaxtyping import Float, Int
    from torch import Generator, Tensor

    from workbench.models.encoder import Encoder
    from workbench.models.tokens import TokenTable

    Ids = Int[Tensor, "batch tokens"]
    States = Float[Tensor, "batch tokens dim"]


class Batch(asked.Batch):
    """One step of one term. With several processes, each sees all rows and contributes its share of the gradients."""

    def __init__(
        self,
        term: Term,
        rows: np.ndarray,
        epoch: int,
        *,
        texts: Texts,
        numbers: Mapping[str, np.ndarray],
        processes: Processes,
        generator: "Generator",
        pooled: "Mapping[ViewKey, Tensor]",
        rate: float,
        heads: float = 0.0,
        precision: str = "fp32",
        chunks: int = 0,
    ) -> None:
        """`pooled` are the vectors of the views before the head, `rate` is the backbone's dropout, and `heads` the rate at
        which whole attention heads are dropped. With `chunks`, a pass is cut into that many micro-batches, of which only
        the results are kept."""
        self.term, self.rows, self.epoch = term, rows, epoch
        self.generator, self.rate, self.heads = generator, rate, heads
        self.encoder: Encoder = texts.encoder
        self._pooled = pooled
        self._texts, self._numbers, self._processes = texts, numbers, processes
        self._precision, self._chunks = precision, chunks
        self._copies: list[tuple[Tensor, Tensor]] = []
        """Tensors on the device, each with the same in CPU memory."""
        self.passed: int | Tensor = 0
        """How many tokens were passed through the backbone so far, besides those of the views: on the device, if any were."""

    @property
    def max_length(self) -> int:
        """Length in tokens, special ones included, to which this training cuts its texts."""
        return self._texts.max_length

    @property
    def numbers(self) -> "dict[str, Tensor]":
        """The numbers of these rows by name, each (batch,) on the device: scores as fp32, labels as integers."""
        return {name: row_numbers(values, self.rows, self.encoder) for name, values in self._numbers.items()}

    def texts(self, name: str) -> list[str]:
        """The augmented texts of one of the term's views, or the texts of a column of the corpus."""
        view = self.term.views.get(name)
        if view is not None:
            shown = self._texts.show(view, self._processes.share(self.rows), self.epoch)
            return self._processes.gathered_list(shown.texts())
        if name not in self._texts.columns:
            raise BadData(f"{self.term.name} asks for texts called {name!r}.", got=", ".join(self._texts.columns))
        column = self._texts.columns[name]
        return [column[row] for row in self.rows.tolist()]

    def pooled(self, name: str) -> "Float[Tensor, 'batch dim']":
        """The vectors of a view before the training's head, with gradient."""
        return self._pooled[key(self.term.views[name])]

    def labels(self, name: str) -> list[str]:
        """Which augmentation changed each text of a view; `none` for texts that are unchanged."""
        shown = self._texts.show(self.term.views[name], self._processes.share(self.rows), self.epoch)
        return self._processes.gathered_list(shown.labels or ["none"] * len(self.rows))

    def tokens(self, name: str) -> "tuple[Ids, Ids]":
        """Ids and mask of `texts`, padded to the longest, on the device."""
        return self.tokenised(self.texts(name))

    def tokenised(self, texts: Sequence[str]) -> "tuple[Ids, Ids]":
        """Ids and mask of any texts, cut to the length of this training."""
        return self._sent(self._texts.tokenise(list(texts)))

    def prompted(self, texts: Sequence[str], prompt: tuple[str, str]) -> "tuple[Ids, Ids]":
        """Ids and mask of texts inside a prompt, see `Encoder.prompted`, cut to the length of this training."""
        return self._sent(self.encoder.prompted(texts, min(self._texts.max_length, self.encoder.positions), prompt))

    def _sent(self, table: "TokenTable") -> "tuple[Ids, Ids]":
        own = table.batch(range(len(table)))
        ids, mask = (sent(tensor, self.encoder.device) for tensor in own)
        self._copies += [(ids, own[0]), (mask, own[1])]
        return ids, mask

    def on_host(self, tensor: "Tensor") -> "Tensor":
        """Ids or mask of `tokens`, `tokenised` or `prompted` in CPU memory, without waiting for a GPU; others as they are."""
        return next((own for given, own in self._copies if given is tensor), tensor)

    def places(self, mask: "Ids", skipped: int = 0) -> "tuple[Tensor, Tensor]":
        """(row, column) of every token of a mask, (tokens,) each on its device, without the first `skipped` columns."""
        rows, columns = self.on_host(mask)[:, skipped:].nonzero(as_tuple=True)
        return sent(rows, mask.device), sent(columns + skipped, mask.device)

    def originals(self, name: str) -> list[str]:
        """The texts of a view before any augmentation."""
        column = self._texts.columns[self.term.views[name].role]
        return [column[row] for row in self.rows.tolist()]

    @property
    def pooling(self) -> str:
        """The pooling of this training, which turns states into one vector per text."""
        return self._texts.pooling

    def states(self, ids: "Ids", mask: "Ids", *, rate: float | None = None) -> "States":
        """Last hidden states of the backbone in training, fp32; gradients go straight to its parameters.

        Computed in train mode with the run's dropout or, if given, with `rate` alone.
        """

        def last_states(ids: "Ids", mask: "Ids") -> "States":
            set_mode(self.encoder.backbone, training=True)
            noise = self.encoder.dropout(self.rate, heads=self.heads) if rate is None else self.encoder.dropout(rate)
            with self.precise(), noise:
                return self._pass(ids, mask)[-1].float()

        self.passed = self.passed + mask.sum()
        return self.whole(self.apart(last_states, ids, mask))

    def layers(self, ids: "Ids", mask: "Ids", numbers: Sequence[int]) -> "list[Float[Tensor, 'batch dim']]":
        """One vector per text from each of these layers, pooled as in this training, fp32; 0 is the embedding output.

        Each is computed as if the backbone ended at that layer; see `states`.
        """
        import torch

        def layer_vectors(ids: "Ids", mask: "Ids") -> "Tensor":
            set_mode(self.encoder.backbone, training=True)
            with self.precise(), self.encoder.dropout(self.rate, heads=self.heads):
                states = [layer.float() for layer in self._pass(ids, mask, every_layer=True)]
            ends = (tuple(states[: number + 1]) for number in numbers)
            return torch.stack([self.encoder.pool(end, ids, mask, self.pooling) for end in ends], dim=1)

        self.passed = self.passed + mask.sum()
        return list(self.whole(self.apart(layer_vectors, ids, mask)).unbind(dim=1))

    def _pass(self, ids: "Ids", mask: "Ids", *, every_layer: bool = False) -> "tuple[States, ...]":
        if self.heads:  # heads are dropped per text, so each text needs its own row
            return self.encoder.forward(ids, mask, every_layer=every_layer)
        return states_of(self.encoder.backbone, ids, mask, every_layer=every_layer)

    def precise(self) -> "torch.autocast":
        """A context in which torch computes in the run's precision."""
        import torch

        return torch.autocast(self.encoder.device.type, dtype=torch.bfloat16, enabled=self._precision == "bf16")

    def apart(self, compute: "Callable[..., Tensor]", *rows: "Tensor") -> "Tensor":
        """`compute` of row-aligned tensors, in as many micro-batches as the run has, each recomputed for its gradient."""
        import torch
        from torch.utils.checkpoint import checkpoint

        if not self._chunks:
            return compute(*rows)
        return torch.cat(
            [checkpoint(compute, *micro_batch, use_reentrant=False) for micro_batch in self._micro_batches(rows)]
        )

    def without_gradient(self, compute: "Callable[..., Tensor]", *rows: "Tensor") -> "Tensor":
        """`compute` of row-aligned tensors, in as many micro-batches as the run has, of which only the results are kept."""
        import torch

        with torch.no_grad():
            return (
                torch.cat([compute(*micro_batch) for micro_batch in self._micro_batches(rows)])
                if self._chunks
                else compute(*rows)
            )

    def _micro_batches(self, rows: "Sequence[Tensor]") -> "Iterator[tuple[Tensor, ...]]":
        count = min(self._chunks, len(rows[0]))
        return zip(*(tensor.tensor_split(count) for tensor in rows), strict=True)

    def whole(self, tensor: "Tensor") -> "Tensor":
        """The same values, with the gradient divided by the number of processes: each computes all of it, and they are summed."""
        if self._processes.count > 1 and tensor.requires_grad:
            tensor = tensor.clone()
            tensor.register_hook(lambda given: given / self._processes.count)
        return tensor


def row_numbers(values: np.ndarray, rows: np.ndarray, encoder: "Encoder") -> "Tensor":
    """The numbers of the given rows, (rows,) on the encoder's device: scores as fp32, labels as integers.

    Raises:
        BadData: a number is not finite.
    """
    own = np.asarray(values)[rows]
    if not np.isfinite(own).all():
        raise BadData("A row has a number that is not finite.", way_out="Leave out pairs without a score.")
    return placed(own.astype(np.int64 if own.dtype.kind in "iub" else np.float32), encoder.device)
