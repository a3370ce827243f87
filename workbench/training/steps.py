"""What one optimiser step did and how long it took; and the error for numbers that are no longer finite."""

import math
from dataclasses import dataclass

from workbench.core.errors import Diverged


@dataclass(frozen=True)
class Step:
    """What one optimiser step did. `loss` is the sum of the weighted terms in `losses`, which also holds figures
    that objectives report, as `number.term.figure`. `accuracy` is the share of rows whose nearest partner in the batch is
    their own, for the first term that has partners, or None if no term has any."""

    step: int
    loss: float
    losses: dict[str, float]
    accuracy: float | None
    learning_rate: float
    gradient_norm: float
    seconds: float
    samples: int
    epoch: int


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


def diverged(what: str, step: int, learning_rate: float) -> Diverged:
    """The error for a training whose numbers are no longer finite."""
    return Diverged(
        f"{what} at step {step}.",
        rule="Training stops at the first number that is not finite.",
        got=f"learning rate {learning_rate:g}",
        way_out="Take a lower learning rate or a longer warm-up; the last checkpoint is kept.",
    )
