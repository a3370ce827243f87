"""What one optimiser step did and how long it took; what a loss must return, and the error for numbers that are not finite."""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from workbench.core.errors import BadMethod, Diverged
from workbench.core.method import Method, described, wrong_return

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@dataclass(frozen=True)
class Step:
    """What one optimiser step did. `loss` is the sum of the weighted terms in `losses`, which also holds figures
    that objectives report, as `number.term.figure`. `accuracy` is the share of rows whose nearest partner in the batch is
    their own, for the first term that has partners, or None if no term has any. `tokens` are those that the trained encoder
    read in this step, special ones included and padding left out: of all views, and of what objectives pass through it."""

    step: int
    loss: float
    losses: dict[str, float]
    accuracy: float | None
    learning_rate: float
    gradient_norm: float
    seconds: float
    samples: int
    epoch: int
    tokens: int = 0

    def read(self) -> "Step":
        """The step itself: its figures are known."""
        return self


class Taken(Protocol):
    """A step that has been taken, or that a GPU will have taken once it has done what is queued there."""

    @property
    def step(self) -> int:
        """Its number, from 1."""

    def read(self) -> Step:
        """What it did; waits for the GPU.

        Raises:
            Diverged: its loss or gradient is not finite; it changed no weights, and neither did any step after it.
        """


class Clock:
    """A moment: of a GPU, when it reaches this point of its queue, or of the host."""

    def __init__(self, device: "torch.device") -> None:
        import torch

        self._event = torch.cuda.Event(enable_timing=True) if device.type == "cuda" else None
        if self._event is not None:
            self._event.record(torch.cuda.current_stream(device))
        self._time = time.perf_counter()

    def wait(self) -> None:
        """Wait until the GPU has reached it."""
        if self._event is not None:
            self._event.synchronize()

    def until(self, later: "Clock") -> float:
        """Seconds from here to a later moment of the same device, which must have been reached."""
        if self._event is not None and later._event is not None:
            return self._event.elapsed_time(later._event) / 1e3
        return later._time - self._time


class Reading:
    """Numbers on their way from the device to the host: the only place where a training waits for a GPU.

    The copy is queued right behind the work that computes them, so work that is queued later does not delay it.
    """

    def __init__(self, numbers: "Tensor") -> None:
        """`numbers` is a 1-d tensor."""
        import torch

        self._numbers = numbers
        if numbers.device.type == "cuda":
            self._numbers = torch.empty(numbers.shape, dtype=numbers.dtype, pin_memory=True)
            self._numbers.copy_(numbers, non_blocking=True)
        self._copied = Clock(numbers.device)

    def wait(self) -> list[float]:
        """The numbers, once they have arrived."""
        self._copied.wait()
        return self._numbers.tolist()


@dataclass(frozen=True)
class Queued:
    """A step whose work is queued; see `Taken`."""

    step: int
    learning_rate: float
    names: tuple[str, ...]
    """Of the terms and figures, in the order of the reading, which begins with loss, gradient norm and tokens."""
    accurate: bool
    """Whether the reading ends with the accuracy."""
    reading: Reading = field(repr=False)
    samples: int
    epoch: int
    began: Clock = field(repr=False)
    ended: Clock = field(repr=False)
    check: Callable[[str, float, int], None] = field(repr=False)
    """Raises Diverged for a number of this step that is not finite."""

    def read(self) -> Step:
        """See `Taken`."""
        loss, norm, tokens, *figures = self.reading.wait()
        self.ended.wait()
        seconds = self.began.until(self.ended)
        self.check("The loss", loss, self.step)
        self.check("The gradient's norm", norm, self.step)
        accuracy = figures.pop() if self.accurate else None
        losses = dict(zip(self.names, figures, strict=True))
        rate = self.learning_rate
        return Step(self.step, loss, losses, accuracy, rate, norm, seconds, self.samples, self.epoch, int(tokens))


def rate(step: int, *, steps: int, peak: float, warmup: float, schedule: str, stair: int = 500) -> float:
    """The learning rate of step `step` (0-based): a linear rise, then a linear fall to 0, stairs, or constant.

    With stairs, the rate falls by a fifth of the peak after every `stair` steps from the first on, until a fifth is left.

    >>> [rate(step, steps=4, peak=1.0, warmup=0.5, schedule="linear") for step in range(4)]
    [0.5, 1.0, 1.0, 0.5]
    >>> [rate(step, steps=9, peak=1.0, warmup=0.0, schedule="stairs", stair=2) for step in (0, 1, 2, 7, 8, 20)]
    [1.0, 1.0, 0.8, 0.4, 0.2, 0.2]
    """
    rising = math.ceil(round(warmup * steps, 9))  # 0.07 * 100 is 7.000000000000001
    if step < rising:
        return peak * (step + 1) / rising
    if schedule == "constant":
        return peak
    if schedule == "stairs":
        return peak * (5 - min(step // stair, 4)) / 5
    return peak * (steps - step) / (steps - rising)


def one_number(value: object, method: Method, inputs: "Iterable[Tensor]") -> "Tensor":
    """What a loss or an objective returned, if a step can be taken along its gradient.

    Raises:
        BadMethod: it is not a tensor of one number, or has no gradient although its inputs have one.
    """
    import torch

    got = type(value).__name__ if value is not None else "nothing"
    if isinstance(value, torch.Tensor):
        if value.ndim == 0 and (value.requires_grad or not any(one.requires_grad for one in inputs)):
            return value
        got = f"a tensor of shape {tuple(value.shape)}" if value.ndim else "a tensor without gradient"
    raise BadMethod(
        f"{method.id} does not return the loss of a batch.",
        rule="It is a tensor of one number, computed from the vectors by operations of torch that pass gradients on.",
        got=got,
        way_out=f"Look at it in {method.fn.__module__}: often .mean() is missing, or there is .item(), .detach() or numpy.",
    )


def loss_and_figures(value: object, method: Method) -> "tuple[object, dict[str, Tensor]]":
    """What an objective returned: its loss, which `one_number` checks, and its figures, detached, by name.

    Only types and shapes are looked at: looking at a number would wait for a GPU.

    Raises:
        BadMethod: it is no pair of a loss and a dictionary of figures, or a figure is not a tensor of one number.
    """
    import torch

    if not isinstance(value, tuple | list) or len(value) != 2:
        got = f"a {type(value).__name__} of {len(value)}" if isinstance(value, tuple | list) else described(value)
        raise wrong_return("objective", method, "its loss and a dictionary of figures from its forward", got)
    loss, figures = value
    if not isinstance(figures, Mapping):
        raise wrong_return("objective", method, "its figures as a dictionary", described(figures))
    for name, figure in figures.items():
        if not isinstance(figure, torch.Tensor) or figure.numel() != 1:
            wanted = f"its figure {name} as a tensor of one number"
            raise wrong_return("objective", method, wanted, described(figure))
    return loss, {str(name): figure.detach().reshape(()) for name, figure in figures.items()}


def diverged(what: str, step: int, learning_rate: float) -> Diverged:
    """The error for a training whose numbers are no longer finite."""
    return Diverged(
        f"{what} at step {step}.",
        rule="Training stops at the first number that is not finite.",
        got=f"learning rate {learning_rate:g}",
        way_out="Use a lower learning rate or a longer warm-up; the last checkpoint is kept."
        if step > 1
        else "No weight had been changed before, so a lower learning rate does not help: look at the loss, its settings and the "
        "backbone.",
    )
