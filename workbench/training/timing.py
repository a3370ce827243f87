"""How long a part of a step takes, measured several times: the least counts, since what else the machine does only adds to it."""

import math
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from workbench.training.optimiser import clip_gradients, new_optimiser

if TYPE_CHECKING:
    from torch import nn

    from workbench.core.config import Training

PATIENCE, PASSES = 3.0, 8
"""Seconds for which a dry run that someone waits for measures the time of a step, and times that it is measured at most."""
PATIENCE_OF_UPDATES = 0.5
"""The same for the update of the weights, which varies less."""


def least_seconds(measure: Callable[[], float], patience: float) -> float:
    """The least that `measure` returns until its results add up to `patience` seconds: of at least one call, at most `PASSES`."""
    measured = [measure()]
    while len(measured) < PASSES and sum(measured) < patience:
        measured.append(measure())
    return min(measured)


def update_seconds(parameters: "Mapping[str, nn.Parameter]", training: "Training", patience: float) -> float:
    """The least time that clipping and an update take on a CPU, of tensors of the same shapes in place of these parameters."""
    import torch

    twins = {name: torch.nn.Parameter(torch.zeros_like(parameter)) for name, parameter in parameters.items()}
    for twin in twins.values():
        twin.grad = torch.ones_like(twin)
    optimizer = new_optimiser(twins, training, "cpu")

    def updated() -> float:
        began = time.perf_counter()
        clip_gradients(list(twins.values()), training.clip or math.inf, "cpu")
        optimizer.step()
        return time.perf_counter() - began

    updated()  # warm-up: the moments are made
    return least_seconds(updated, patience)
