"""What a pretraining will need, measured on a part of a batch before it starts."""

import math
from typing import TYPE_CHECKING

from workbench.core.device import queues
from workbench.core.seeds import seeded
from workbench.models.thread_pool import thread_pool
from workbench.training.dryrun import BACK, Estimate, counting, free_bytes
from workbench.training.optimiser import MOMENTS
from workbench.training.steps import Clock
from workbench.training.timing import PATIENCE_OF_UPDATES, least_seconds, update_seconds

if TYPE_CHECKING:
    from workbench.pretraining.loop import MaskedLoop

ROWS = 16
"""Sequences to measure where a batch is computed as a whole."""


def estimate(loop: "MaskedLoop", *, patience: float = 0.0) -> Estimate:
    """Run forward and backward on a few micro-batches and scale time and memory to the batch; the weights stay untouched.

    Memory is measured on one micro-batch, and time on as many as are computed at the same time, as in `training.dryrun`. On a
    GPU, time is measured on a whole batch, if it fits. With `patience` a CPU's update of the weights counts, as there.
    """
    import torch

    training = loop.config.training
    micro_batches = loop._micro_batches(training.batch_size)
    at_once, rows = 1, min(ROWS, training.batch_size)
    if loop.shared:
        at_once = min(len(micro_batches), thread_pool(torch.get_num_threads()).size)
        rows = max(part.stop - part.start for part in micro_batches)
    weights = {p.untyped_storage().data_ptr() for p in loop.model.parameters()}
    device = loop.encoder.device
    with seeded(training.seed, "dry run", device=str(device)), loop._ready(training=True) as ready:
        weights |= {parameter.untyped_storage().data_ptr() for parameter in ready.model.parameters()}
        starts = next(loop._starts())[1]

        def computed(micro_batches: list[slice]) -> float:
            """The time of a forward and backward pass, once the device has done it."""
            batch = loop._masked(loop.tables.train, starts[: micro_batches[-1].stop], "dry run")
            began = Clock(device)
            loop._gradients(ready, batch, micro_batches)
            ended = Clock(device)
            ended.wait()
            return began.until(ended)

        def seconds(micro_batches: list[slice]) -> float:
            computed(micro_batches)  # warm-up: one-time work happens here
            return least_seconds(lambda: computed(micro_batches), patience)

        seen: dict[int, int] = {}
        with counting(seen):
            # In this thread, because what autograd keeps in another one would not be seen.
            drawing = torch.Generator().manual_seed(0) if loop.shared else None
            loop._judged(ready, loop._masked(loop.tables.train, starts[:rows], "dry run"), slice(0, rows), drawing)
        activations = BACK * sum(size for pointer, size in seen.items() if pointer not in weights)
        parameters = sum(p.numel() * p.element_size() for p in loop.model.parameters())
        share = training.batch_size / rows
        copies = 1 + MOMENTS[training.optimiser]  # a gradient and the optimiser's moments
        needed = int(activations * share + parameters * (copies + 0.5))
        if loop.shared:
            # Each micro-batch's gradient is kept until all are summed.
            needed = int(activations * at_once + parameters * (copies + len(micro_batches)))
        free = free_bytes(str(device))
        if loop.shared:
            a_step = seconds(micro_batches[:at_once]) * math.ceil(len(micro_batches) / at_once)
        elif queues(device) and needed <= free:
            a_step = seconds(micro_batches)  # a GPU takes nearly as long for a few rows as for many
        else:
            a_step = seconds([slice(0, rows)]) * share
        if patience and needed <= free and not queues(device):
            a_step += update_seconds(loop.named_parameters(), training, PATIENCE_OF_UPDATES)
    steps = training.steps - loop.step
    return Estimate(needed, free, a_step, a_step * steps)


def check_finite(loop: "MaskedLoop") -> None:
    """Run forward and backward on a few sequences and refuse what the training would refuse, as in `training.dryrun`.

    Raises:
        Diverged: the loss or the gradient is not finite.
    """
    import torch

    training = loop.config.training
    first = loop._micro_batches(training.batch_size)[0]
    some = slice(0, min(ROWS, first.stop))
    with seeded(training.seed, "dry run", device=str(loop.encoder.device)), loop._ready(training=True) as ready:
        batch = loop._masked(loop.tables.train, next(loop._starts())[1][some], "dry run")
        [(loss, _, gradients)] = loop._gradients(ready, batch, [some])
        norms = torch.stack([gradient.float().norm() for gradient in gradients if gradient is not None])
        loop.check_finite("The loss", float(loss), loop.step + 1)
        loop.check_finite("The gradient's norm", float(norms.norm()), loop.step + 1)
