"""Contrastive fine-tuning: one generator of steps. Whoever drives it saves, evaluates and draws."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.augmentations.draw import Lines
from workbench.core.config import RunConfig
from workbench.core.errors import BadRun, BadSetting, Diverged
from workbench.core.method import find
from workbench.core.seeds import seeded
from workbench.heads import METHODS as HEADS
from workbench.losses import METHODS as LOSSES
from workbench.training.batches import batches, steps_per_epoch
from workbench.training.processes import Processes
from workbench.training.views import Columns, Views, key

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.models.encoder import Encoder


@dataclass(frozen=True)
class Step:
    """What one optimiser step did. `loss` is the weighted sum of `losses`; `accuracy` is the share of rows of the first
    term whose nearest partner in the batch is their own."""

    step: int
    loss: float
    losses: dict[str, float]
    accuracy: float
    learning_rate: float
    gradient_norm: float
    seconds: float
    samples: int
    epoch: int


def rate(step: int, *, steps: int, peak: float, warmup: float, schedule: str) -> float:
    """The learning rate of step `step` (0-based): a linear rise, then a linear fall to 0, or constant.

    >>> [rate(step, steps=4, peak=1.0, warmup=0.5, schedule="linear") for step in range(4)]
    [0.5, 1.0, 1.0, 0.5]
    """
    rising = math.ceil(warmup * steps)
    if step < rising:
        return peak * (step + 1) / rising
    if schedule == "constant":
        return peak
    return peak * (steps - step) / (steps - rising)


class Loop:
    """A training in progress.

    Everything random is drawn from (seed, step, purpose), so nothing but the weights, the optimiser's moments and the
    step number has to be kept to go on bit for bit.
    """

    def __init__(
        self,
        encoder: "Encoder",
        columns: Columns,
        config: RunConfig,
        *,
        precision: str = "fp32",
        cancelled: Callable[[], bool] = lambda: False,
        lines: Lines | None = None,
    ) -> None:
        """Tokenises the corpus and builds head and optimiser.

        Raises:
            BadData: the corpus lacks a text column that a term needs.
            BadSetting: fewer texts than a batch, or a batch that the processes cannot share evenly.
        """
        import torch

        self.encoder, self.config, self.precision, self.cancelled = encoder, config, precision, cancelled
        self.processes = Processes()
        if config.training.batch_size % self.processes.count:
            raise BadSetting(
                f"A batch of {config.training.batch_size} cannot be shared by {self.processes.count} processes.",
                way_out=f"Take a multiple of {self.processes.count}.",
            )
        self.columns = columns
        self.rows = len(next(iter(columns.values())))
        self.views = Views(
            encoder,
            config.terms,
            columns,
            max_length=config.training.max_length,
            seed=config.training.seed,
            augmenting=config.augmenting,
            lines=lines,
        )
        self.head = self._new_head()
        self.losses = [find(LOSSES, "loss", term.loss) for term in config.terms]
        self.step = self.samples = 0
        decayed: list[nn.Parameter] = []
        plain: list[nn.Parameter] = []
        for parameter in self.named_parameters().values():
            (decayed if parameter.ndim > 1 else plain).append(parameter)
        groups = [
            {"params": decayed, "weight_decay": config.training.weight_decay},
            {"params": plain, "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.AdamW(
            groups, lr=config.training.learning_rate, fused=encoder.device.type in ("cpu", "cuda", "mps")
        )

    def _new_head(self) -> "nn.Module | None":
        config = self.config.model
        if not config.head:
            return None
        with seeded(self.config.training.seed, "head"):
            head: nn.Module = find(HEADS, "head", config.head).fn(self.encoder.dim, **config.head_settings)
        return head.to(self.encoder.device)

    def named_parameters(self) -> dict[str, "nn.Parameter"]:
        """Everything that is trained, by name."""
        found = {f"backbone.{name}": p for name, p in self.encoder.backbone.named_parameters() if p.requires_grad}
        if self.head is not None:
            found |= {f"head.{name}": p for name, p in self.head.named_parameters()}
        return found

    @property
    def steps_per_epoch(self) -> int:
        """Batches in one pass over the corpus."""
        return steps_per_epoch(self.rows, self.config.training.batch_size)

    def _batches(self) -> Iterator[tuple[int, np.ndarray]]:
        training = self.config.training
        same_text = None
        if training.dedup_batch:
            numbers: dict[str, int] = {}
            texts = next(iter(self.columns.values()))
            same_text = [numbers.setdefault(" ".join(text.lower().split()), len(numbers)) for text in texts]
        return batches(self.rows, training.batch_size, seed=training.seed, start=self.step, same_text=same_text)

    def run(self) -> Iterator[Step]:
        """One `Step` after each optimiser step, from where the loop stands to the configured end, or until cancelled.

        Raises:
            Diverged: loss or gradient is no longer finite; weights are those before that step.
            BadSetting: fewer texts than a batch.
        """
        training = self.config.training
        for epoch, batch in self._batches():
            if self.step >= training.steps or self.cancelled():
                return
            start = time.perf_counter()
            with seeded(training.seed, self.step, "dropout", self.processes.index, device=str(self.encoder.device)):
                done = self._one(batch, epoch)
            if done is None:
                return
            loss, losses, accuracy, norm, now = done
            self.step += 1
            self.samples += len(batch)
            yield Step(self.step, loss, losses, accuracy, now, norm, time.perf_counter() - start, self.samples, epoch)

    def forward(self, batch: np.ndarray, epoch: int) -> "tuple[Tensor, dict[str, Tensor], Tensor] | None":
        """(weighted loss, its terms, in-batch accuracy) of one batch with gradient, or None if cancelled on the way."""
        import torch

        training, model = self.config.training, self.config.model
        vectors = self.views.encode(
            self.processes.share(batch),
            epoch=epoch,
            pooling=model.pooling,
            rate=training.dropout,
            parts=training.parts,
            precision=self.precision,
            cancelled=self.cancelled,
        )
        if vectors is None:
            return None
        vectors = {name: self.processes.gathered(tensor) for name, tensor in vectors.items()}
        if self.head is not None:
            # One call on all views: batch normalisation sees them joined.
            self.head.train()
            joined = self.head(torch.cat(list(vectors.values())))
            vectors = dict(zip(vectors, joined.split([len(tensor) for tensor in vectors.values()]), strict=True))
        losses: dict[str, Tensor] = {}
        for number, (term, method) in enumerate(zip(self.config.terms, self.losses, strict=True)):
            inputs = {name: vectors[key(view)] for name, view in term.views.items()}
            a, b = inputs.pop("a"), inputs.pop("b")
            losses[f"{number}.{term.loss}"] = term.weight * method.fn(a, b, **inputs, **term.settings)
            if number == 0:
                with torch.no_grad():
                    normal = torch.nn.functional.normalize
                    nearest = (normal(a, dim=1) @ normal(b, dim=1).T).argmax(dim=1)
                    accuracy = (nearest == torch.arange(len(a), device=a.device)).float().mean()
        return torch.stack(list(losses.values())).sum(), losses, accuracy

    def _one(self, batch: np.ndarray, epoch: int) -> tuple[float, dict[str, float], float, float, float] | None:
        import torch

        training = self.config.training
        self.optimizer.zero_grad(set_to_none=True)
        found = self.forward(batch, epoch)
        if found is None:
            return None
        loss, losses, accuracy = found
        value = float(loss.detach())
        if not math.isfinite(value):
            raise self._diverged(f"The loss is {value}")
        loss.backward()
        self.views.backward()
        parameters = self.named_parameters()
        self.processes.sum_gradients(parameters)
        limit = training.clip or math.inf
        norm = float(torch.nn.utils.clip_grad_norm_(list(parameters.values()), limit))
        if not math.isfinite(norm):
            raise self._diverged(f"The gradient's norm is {norm}")
        now = rate(
            self.step,
            steps=training.steps,
            peak=training.learning_rate,
            warmup=training.warmup,
            schedule=training.schedule,
        )
        for group in self.optimizer.param_groups:
            group["lr"] = now
        self.optimizer.step()
        return value, {name: float(term.detach()) for name, term in losses.items()}, float(accuracy), norm, now

    def _diverged(self, what: str) -> Diverged:
        return Diverged(
            f"{what} at step {self.step + 1}.",
            rule="Training stops at the first number that is not finite.",
            got=f"learning rate {self.config.training.learning_rate:g}",
            way_out="Take a lower learning rate or a longer warm-up; the last checkpoint is kept.",
        )

    def weights(self) -> dict[str, "Tensor"]:
        """Detached fp32 tensors of backbone and head, by name."""
        found = {f"backbone.{name}": tensor for name, tensor in self.encoder.backbone.state_dict().items()}
        if self.head is not None:
            found |= {f"head.{name}": tensor for name, tensor in self.head.state_dict().items()}
        return {name: tensor.detach() for name, tensor in found.items()}

    def moments(self) -> dict[str, "Tensor"]:
        """The optimiser's tensors, by parameter name."""
        names: dict[Tensor, str] = {parameter: name for name, parameter in self.named_parameters().items()}
        return {
            f"{names[parameter]}/{part}": tensor
            for parameter, state in self.optimizer.state.items()
            for part, tensor in state.items()
        }

    def numbers(self) -> dict[str, int]:
        """What else must be kept to go on: plain numbers."""
        return {"step": self.step, "samples": self.samples}

    def restore(
        self, weights: Mapping[str, "Tensor"], moments: Mapping[str, "Tensor"], numbers: Mapping[str, Any]
    ) -> None:
        """Go on from a checkpoint.

        Raises:
            BadRun: tensors that do not fit this configuration.
        """
        load_weights(self.encoder, self.head, weights)
        parameters = self.named_parameters()
        for full, tensor in moments.items():
            name, part = full.rsplit("/", 1)
            if name not in parameters:
                raise BadRun(f"The checkpoint holds an optimiser state for {name}, which this model has not.")
            self.optimizer.state[parameters[name]][part] = tensor.clone()
        self.step, self.samples = int(numbers["step"]), int(numbers["samples"])


def load_weights(encoder: "Encoder", head: "nn.Module | None", weights: Mapping[str, "Tensor"]) -> None:
    """Put a checkpoint's tensors into an encoder and, if given, a head.

    Raises:
        BadRun: names or shapes that differ.
    """
    for prefix, module in (("backbone.", encoder.backbone), ("head.", head)):
        if module is None:
            continue
        own = {name.removeprefix(prefix): tensor for name, tensor in weights.items() if name.startswith(prefix)}
        try:
            module.load_state_dict(own)
        except RuntimeError as error:
            raise BadRun(f"The checkpoint does not fit the model: {str(error).splitlines()[-1].strip()}") from None
