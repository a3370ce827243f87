"""Masked language modelling: one generator of steps. The caller saves, evaluates and plots."""

import copy
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workbench.core.config import RunConfig
from workbench.core.device import sent
from workbench.core.errors import BadData, BadRun
from workbench.core.seeds import derive, seeded, torch_generator
from workbench.models import varlen
from workbench.models.attention import using
from workbench.models.language_heads import language_head
from workbench.models.masking import corrupted
from workbench.models.thread_pool import thread_pool
from workbench.models.unpadded import FAMILIES
from workbench.pretraining.start import Start
from workbench.pretraining.tables import Tables, windows
from workbench.pretraining.vocabulary import begins, bounds
from workbench.training.optimiser import clip_gradients
from workbench.training.resumable import Resumable
from workbench.training.steps import Clock, Queued, Reading

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

    from workbench.models.backbone import HeadedModel

MICRO_BATCH_TOKENS = 2048
"""Most tokens that one CPU thread computes at once."""
VALIDATION = 1 << 16
"""Held-out tokens to evaluate, spread evenly over the held-out articles."""
HEAD = "language_head."


class Masked(NamedTuple):
    """A batch: the masked input, the original ids, and which tokens to predict; all (sequences, tokens), in CPU memory, where
    which tokens they are can be known without waiting for a GPU."""

    seen: "Tensor"
    ids: "Tensor"
    chosen: "Tensor"

    @property
    def covered(self) -> int:
        """Tokens to predict, at least 1: the mean loss is over them."""
        return max(1, int(self.chosen.sum()))


class Ready(NamedTuple):
    """A model ready to compute: a function from (masked ids, generator) to states, the head, and the model itself."""

    states: 'Callable[["Tensor", "torch.Generator | None"], "Tensor"]'
    head: "nn.Module"
    model: "HeadedModel"


class MaskedLoop(Resumable):
    """A pretraining run in progress."""

    def __init__(
        self,
        start: Start,
        tables: Tables,
        config: RunConfig,
        *,
        precision: str = "fp32",
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """`precision` is fp32 or bf16.

        Raises:
            BadData: too few tokens for a batch, or for one held-out sequence.
        """
        import torch

        self.model, self.encoder, self.tables, self.config = start.model, start.encoder, tables, config
        self.precision, self.cancelled = precision, cancelled
        self.head = None
        self.objectives: dict[int, nn.Module] = {}
        tokenizer = self.encoder.tokenizer
        self._first, self._last = bounds(tokenizer)
        self.length = min(config.pretraining.sequence_length, self.encoder.positions)
        self.room = self.length - 2
        batch = config.training.batch_size
        # A pass begins at a random token of the first sequence; the tokens before it are not used.
        needs = (
            ("training", tables.train, batch, (batch + 1) * self.room - 1),
            ("validation", tables.validation, 1, self.room),
        )
        for name, ids, least, needed in needs:
            if len(ids) < needed:
                raise BadData(
                    f"The corpus is too small: {len(ids):,} tokens for {name}.",
                    rule=f"{least} sequence{'s' * (least > 1)} of {self.length} tokens need {needed:,}.",
                    way_out="Add text, or use a smaller batch, shorter sequences or another share for validation.",
                )
        self._begins = torch.from_numpy(begins(tokenizer)) if config.pretraining.whole_words else None
        self._specials = torch.tensor(sorted(set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}))
        self.start()
        self._half: HeadedModel | None = None

    @property
    def steps_per_epoch(self) -> int:
        """Batches in one pass over the articles that are not held out."""
        return self.rows // self.config.training.batch_size

    @property
    def rows(self) -> int:
        """Sequences in one pass, wherever its random start is."""
        return (len(self.tables.train) + 1) // self.room - 1

    def named_parameters(self) -> dict[str, "nn.Parameter"]:
        """Everything that is trained, by name; tied weights once."""
        return {self._name(name): p for name, p in self.model.named_parameters() if p.requires_grad}

    def _name(self, name: str) -> str:
        prefix = f"{self.model.base_model_prefix}."
        return f"backbone.{name.removeprefix(prefix)}" if name.startswith(prefix) else f"{HEAD}{name}"

    # Batches

    def _starts(self) -> Iterator[tuple[int, np.ndarray]]:
        """(epoch, where the batch's sequences begin), from the loop's current step on; an incomplete last batch is left out."""
        size, seed = self.config.training.batch_size, self.config.training.seed
        epoch, number = 0, self.step
        while True:
            starts = windows(len(self.tables.train), self.room, seed=seed, epoch=epoch)
            count = len(starts) // size
            for batch in range(number, count):
                yield epoch, starts[batch * size : (batch + 1) * size]
            number = max(0, number - count)
            epoch += 1

    def _masked(self, source: np.ndarray, starts: np.ndarray, *purpose: object) -> Masked:
        import torch

        body = source[starts[:, None] + np.arange(self.room)].astype(np.int64)
        ends = [np.full((len(starts), 1), token, dtype=np.int64) for token in (self._first, self._last)]
        ids = torch.from_numpy(np.concatenate([ends[0], body, ends[1]], axis=1))
        settings = self.config.pretraining
        seen, chosen = corrupted(
            ids,
            torch.isin(ids, self._specials),
            rate=settings.mask_rate,
            mask_id=int(self.encoder.tokenizer.mask_token_id or 0),
            vocabulary=len(self.encoder.tokenizer),
            generator=torch_generator(self.config.training.seed, *purpose, "masks"),
            begins=None if self._begins is None else self._begins[ids],
        )
        return Masked(seen, ids, chosen)

    # Computing

    def _computing(self) -> "HeadedModel":
        """The model to compute with: `model` or, on a CPU in bf16, a copy of it with rounded weights."""
        import torch

        if self.precision == "fp32" or self.encoder.device.type != "cpu":
            return self.model
        if self._half is None:
            self._half = copy.deepcopy(self.model).to(torch.bfloat16)
        with torch.no_grad():
            torch._foreach_copy_(list(self._half.parameters()), list(self.model.parameters()))
        return self._half

    @contextmanager
    def _ready(self, training: bool) -> Iterator[Ready]:
        """The model, ready to compute; safe for several threads if `shared`."""
        import torch

        model = self._computing()
        model.train(training)
        body: Any = model.base_model
        shared = self.shared
        if shared:
            varlen.register()
        dropout = self.config.training.dropout if training else 0.0

        def states(seen: "Tensor", generator: "torch.Generator | None") -> "Tensor":
            if not shared:
                return body(input_ids=seen).last_hidden_state
            with self.encoder.drawing(generator):
                return body(input_ids=seen, drawing=generator).last_hidden_state

        with ExitStack() as stack:
            stack.enter_context(self.encoder.dropout(dropout, model))
            stack.enter_context(using(body, varlen.NAME if shared else None))
            if self.precision == "bf16" and self.encoder.device.type != "cpu":
                stack.enter_context(torch.autocast(self.encoder.device.type, torch.bfloat16))
            try:
                yield Ready(states, language_head(model), model)
            finally:
                self.model.eval()

    @property
    def shared(self) -> bool:
        """Whether threads share a batch: on a CPU, with a family whose attention can be replaced."""
        return self.encoder.device.type == "cpu" and self.encoder.backbone.config.model_type in FAMILIES

    def _micro_batches(self, rows: int) -> list[slice]:
        """Parts of a batch that are computed separately: the same on all machines with the same number of cores."""
        import torch

        if not self.shared:
            return [slice(0, rows)]
        wished = self.config.training.parts or max(
            thread_pool(torch.get_num_threads()).size, math.ceil(rows * self.length / MICRO_BATCH_TOKENS)
        )
        edges = np.linspace(0, rows, min(wished, rows) + 1).astype(int)
        return [slice(int(low), int(high)) for low, high in itertools.pairwise(edges)]

    def _judged(
        self, ready: Ready, batch: Masked, micro_batch: slice, generator: "torch.Generator | None"
    ) -> "tuple[Tensor, Tensor]":
        """(summed cross-entropy of the chosen tokens in nats, number predicted correctly) of one micro-batch, on the device."""
        import torch

        device, chosen = self.encoder.device, batch.chosen[micro_batch]
        hidden = ready.states(sent(batch.seen[micro_batch], device), generator)
        rows, columns = (sent(places, device) for places in chosen.nonzero(as_tuple=True))
        # The head is as wide as the vocabulary, so it gets only the chosen tokens.
        logits = ready.head(hidden[rows, columns][None])[0].float()
        wanted = sent(batch.ids[micro_batch][chosen], device)
        right = (logits.detach().argmax(dim=1) == wanted).sum()
        return torch.nn.functional.cross_entropy(logits, wanted, reduction="sum"), right

    def queued(self) -> Iterator[Queued]:
        """See `Resumable.queued`."""
        self.optimizer.__dict__.pop("found_inf", None)  # of a training that diverged, and is tried again
        training = self.config.training
        for epoch, starts in self._starts():
            if self.step >= training.steps or self.cancelled():
                return
            began = Clock(self.encoder.device)
            with seeded(training.seed, self.step, "dropout", device=str(self.encoder.device)):
                batch = self._masked(self.tables.train, starts, self.step)
                now, reading = self._one(batch)
            self.step += 1
            self.samples += len(starts)
            ended = Clock(self.encoder.device)
            yield Queued(self.step, now, ("mlm",), True, reading, self.samples, epoch, began, ended, self.check_finite)

    def _gradients(
        self, ready: Ready, batch: Masked, micro_batches: Sequence[slice]
    ) -> "list[tuple[Tensor, Tensor, tuple[Tensor | None, ...]]]":
        """(share of the mean loss in nats, number predicted correctly, gradients of the parameters) of each micro-batch."""
        import torch

        covered = batch.covered
        leaves = [parameter for parameter in ready.model.parameters() if parameter.requires_grad]

        def work(item: tuple[int, slice]) -> "tuple[Tensor, Tensor, tuple[Tensor | None, ...]]":
            number, micro_batch = item
            drawing = (
                torch.Generator().manual_seed(derive(self.config.training.seed, self.step, "piece", number))
                if self.shared
                else None
            )
            loss, right = self._judged(ready, batch, micro_batch, drawing)
            loss = loss / covered
            return loss.detach(), right, torch.autograd.grad(loss, leaves, allow_unused=True)

        items = list(enumerate(micro_batches))
        workers = thread_pool(torch.get_num_threads()) if self.shared else None
        return list(workers.map(work, items) if workers else map(work, items))

    def _one(self, batch: Masked) -> tuple[float, Reading]:
        """(learning rate, the reading) of a step."""
        import torch

        training = self.config.training
        owners = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        with self._ready(training=True) as ready:
            found = self._gradients(ready, batch, self._micro_batches(len(batch.ids)))
        for number, owner in enumerate(owners):
            parts = [part for one in found if (part := one[2][number]) is not None]
            owner.grad = parts[0].float() if parts else None
            for part in parts[1:]:
                owner.grad += part
        size = clip_gradients(owners, training.clip or math.inf, self.encoder.device.type)
        wide = torch.float32 if self.encoder.device.type == "mps" else torch.float64  # which MPS does not have
        loss = torch.stack([one[0] for one in found]).to(wide).sum()
        right = torch.stack([one[1] for one in found]).sum()
        tokens = loss.new_full((), batch.seen.numel())  # sequences are full: there is no padding
        numbers = torch.stack([loss, size.detach().to(wide), tokens, loss, right / batch.covered])
        reading = Reading(numbers)
        return self.checked_update(reading, numbers[:2]), reading

    def validate(self) -> dict[str, float]:
        """`loss` in nats, `accuracy` and the number of predicted `tokens` on held-out articles, always on the same tokens.

        Raises:
            Cancelled: `cancelled` returned true.
        """
        import torch

        from workbench.models.encoder import Cancelled

        count = len(self.tables.validation) // self.room
        chosen = np.unique(np.linspace(0, count - 1, min(count, max(1, VALIDATION // self.length))).astype(int))
        starts = chosen * self.room
        loss, right, named = 0.0, 0, 0
        with self._ready(training=False) as ready:

            def work(part: np.ndarray) -> tuple[float, int, int]:
                if self.cancelled():
                    raise Cancelled
                with torch.inference_mode():
                    batch = self._masked(self.tables.validation, part, "validation", int(part[0]))
                    found, right = self._judged(ready, batch, slice(None), None)
                    return float(found), int(right), int(batch.chosen.sum())

            rows = max(1, MICRO_BATCH_TOKENS // self.length) * (1 if self.shared else 16)
            parts = [starts[low : low + rows] for low in range(0, len(starts), rows)]
            workers = thread_pool(torch.get_num_threads()) if self.shared else None
            for one in workers.map(work, parts) if workers else map(work, parts):
                loss, right, named = loss + one[0], right + one[1], named + one[2]
        return {"loss": loss / max(1, named), "accuracy": right / max(1, named), "tokens": named}

    # Checkpoints

    def weights(self) -> dict[str, "Tensor"]:
        """Detached fp32 tensors of backbone and language head, by name; tied weights once."""
        known = self.model.state_dict(keep_vars=True)
        first: dict[int, str] = {}
        return {
            self._name(name): tensor.detach()
            for name, tensor in known.items()
            if first.setdefault(id(tensor), name) == name
        }

    def load_weights(self, weights: Mapping[str, "Tensor"]) -> None:
        """Put the tensors of a checkpoint into the model; see `Resumable.load_weights`."""
        import torch

        own = self.weights()
        if own.keys() != weights.keys() or any(own[name].shape != weights[name].shape for name in own):
            some = sorted(own.keys() ^ weights.keys())[:3] or ["shapes differ"]
            raise BadRun(f"The checkpoint does not fit the model: {', '.join(some)}.")
        with torch.no_grad():
            for name, tensor in weights.items():
                own[name].copy_(tensor)

    def save(self, folder: Path) -> None:
        """Save the whole masked language model and its tokenizer in the standard layout of transformers."""
        from workbench.models.load import quiet

        with quiet():
            self.model.save_pretrained(folder)
            self.encoder.tokenizer.save_pretrained(folder)
