"""What a pretraining will need, measured on a part of a batch before it starts."""

from typing import TYPE_CHECKING

from workbench.core.device import queues
from workbench.core.seeds import seeded
from workbench.training.dryrun import Estimate, counting, free_bytes
from workbench.training.optimiser import MOMENTS
from workbench.training.steps import Clock

if TYPE_CHECKING:
    from workbench.pretraining.loop import MaskedLoop

ROWS = 16
"""Sequences to measure where a batch is computed as a whole."""


def estimate(loop: "MaskedLoop") -> Estimate:
    """Run forward and backward on one micro-batch and scale time and memory to the batch; the weights stay untouched. On a
    GPU, time is measured on a whole batch, if it fits."""
    import torch

    training = loop.config.training
    micro_batches = loop._micro_batches(training.batch_size)
    rows = min(micro_batches[0].stop - micro_batches[0].start, training.batch_size if loop.shared else ROWS)
    weights = {p.untyped_storage().data_ptr() for p in loop.model.parameters()}
    device = loop.encoder.device
    with seeded(training.seed, "dry run", device=str(device)), loop._ready(training=True) as ready:
        leaves = [parameter for parameter in ready.model.parameters() if parameter.requires_grad]
        weights |= {leaf.untyped_storage().data_ptr() for leaf in leaves}
        seen: dict[int, int] = {}

        def once(rows: int) -> float:
            """The time of a forward and backward pass, once the device has done it."""
            batch = loop._masked(loop.tables.train, next(loop._starts())[1][:rows], "dry run")
            began = Clock(device)
            drawing = torch.Generator().manual_seed(0) if loop.shared else None
            loss, _ = loop._judged(ready, batch, slice(0, rows), drawing)
            torch.autograd.grad(loss, leaves, allow_unused=True)
            ended = Clock(device)
            ended.wait()
            return began.until(ended)

        with counting(seen):
            once(rows)
        seconds = once(rows)
        activations = sum(size for pointer, size in seen.items() if pointer not in weights)
        parameters = sum(p.numel() * p.element_size() for p in loop.model.parameters())
        share = training.batch_size / rows
        copies = 1 + MOMENTS[training.optimiser]  # a gradient and the optimiser's moments
        if loop.shared:
            from workbench.models.thread_pool import thread_pool

            at_once = min(len(micro_batches), thread_pool(torch.get_num_threads()).size)
            # Each micro-batch's gradient is kept until all are summed.
            needed = int(activations * at_once + parameters * (copies + len(micro_batches)))
            a_step = seconds * share / at_once
        else:
            needed, a_step = int(activations * share + parameters * (copies + 0.5)), seconds * share
        free = free_bytes(str(device))
        if queues(device) and needed <= free:
            # A GPU takes nearly as long for a few rows as for many.
            once(training.batch_size)
            a_step = once(training.batch_size)
    steps = training.steps - loop.step
    return Estimate(needed, free, a_step, a_step * steps)
