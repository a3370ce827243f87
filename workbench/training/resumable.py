"""What every training loop has in common: an optimiser, its progress, and what a checkpoint stores of both."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from workbench.core.device import queues
from workbench.training import optimiser
from workbench.training.steps import diverged, rate

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.core.config import RunConfig
    from workbench.models.encoder import Encoder
    from workbench.training.steps import Reading, Step, Taken


class Resumable(ABC):
    """A training in progress that can be written to a checkpoint and resumed from it.

    Everything random is drawn from (seed, step, purpose), so nothing but the weights, the optimiser's moments and the
    step number has to be kept to resume bit for bit.
    """

    encoder: "Encoder"
    config: "RunConfig"
    head: "nn.Module | None"

    @abstractmethod
    def queued(self) -> "Iterator[Taken]":
        """See `run`; each step is yielded as soon as its work is queued on the device, and read when the caller wants.

        On a CPU, Diverged is raised here; on a GPU, when the step is read.
        """

    def run(self) -> "Iterator[Step]":
        """One `Step` after each optimiser step, from the current step to the configured end, or until cancelled.

        Raises:
            Diverged: the loss or gradient is not finite; the weights are those before that step.
            BadSetting: fewer texts than a batch.
        """
        for taken in self.queued():
            yield taken.read()

    @abstractmethod
    def named_parameters(self) -> "dict[str, nn.Parameter]":
        """Everything that is trained, by name."""

    @abstractmethod
    def weights(self) -> "dict[str, Tensor]":
        """Detached fp32 tensors of everything that a checkpoint keeps, by name."""

    @abstractmethod
    def load_weights(self, weights: "Mapping[str, Tensor]") -> None:
        """Put the tensors of a checkpoint into the model.

        Raises:
            BadRun: names or shapes do not fit this configuration.
        """

    def start(self) -> None:
        """Set the counters to 0 and make a new optimiser for `named_parameters`."""
        self.step = self.samples = 0
        self.optimizer = optimiser.new_optimiser(
            self.named_parameters(), self.config.training, self.encoder.device.type
        )

    def stop_at(self, numbers: "Tensor") -> None:
        """From the first step on in which one of these numbers, (n,), is not finite, no step changes any weights.

        The optimiser is told so on the device: nothing waits for the numbers.
        """
        import torch

        gone = numbers.isfinite().all().logical_not().float()
        before: Tensor | None = getattr(self.optimizer, "found_inf", None)
        # What GradScaler sets too: a fused optimiser leaves everything as it is where this is 1.
        self.optimizer.found_inf = gone if before is None else torch.maximum(before, gone)  # type: ignore[attr-defined]

    def check_finite(self, name: str, number: float, step: int) -> None:
        """Stop training if the loss or the gradient norm of a step is not finite.

        Raises:
            Diverged: `number` is not finite.
        """
        if not math.isfinite(number):
            raise diverged(f"{name} is {number}", step, self.config.training.learning_rate)

    def checked_update(self, reading: "Reading", numbers: "Tensor") -> float:
        """`update`, if loss and gradient norm are finite: `numbers`, (2,), with which the reading begins. On a GPU nothing waits
        for them.

        Raises:
            Diverged: they are not, on a CPU.
        """
        if queues(self.encoder.device) and self.optimizer.defaults.get("fused"):
            self.stop_at(numbers)
        else:
            value, norm, *_ = reading.wait()
            self.check_finite("The loss", value, self.step + 1)
            self.check_finite("The gradient's norm", norm, self.step + 1)
        return self.update()

    def update(self) -> float:
        """Take one optimiser step and return its learning rate."""
        training = self.config.training
        now = rate(
            self.step,
            steps=training.steps,
            peak=training.learning_rate,
            warmup=training.warmup,
            schedule=training.schedule,
            stair=training.stair,
        )
        for group in self.optimizer.param_groups:
            group["lr"] = now
        self.optimizer.step()
        return now

    def moments(self) -> "dict[str, Tensor]":
        """The optimiser's tensors, by parameter name."""
        return optimiser.moments(self.optimizer, self.named_parameters())

    def numbers(self) -> dict[str, int]:
        """What else is needed to resume: the number of steps taken and of samples seen."""
        return {"step": self.step, "samples": self.samples}

    def restore(
        self, weights: "Mapping[str, Tensor]", moments: "Mapping[str, Tensor]", numbers: Mapping[str, Any]
    ) -> None:
        """Resume from a checkpoint.

        Raises:
            BadRun: the tensors do not fit this configuration.
        """
        self.load_weights(weights)
        optimiser.restore(self.optimizer, self.named_parameters(), moments)
        self.step, self.samples = int(numbers["step"]), int(numbers["samples"])
