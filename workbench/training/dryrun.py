"""What a training will need, measured on a few rows before it starts."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.errors import Refused
from workbench.core.seeds import numpy_rng, seeded
from workbench.training.processes import Processes

if TYPE_CHECKING:
    from torch import Tensor

    from workbench.training.loop import Loop


@dataclass(frozen=True)
class Estimate:
    """Peak memory beyond what is loaded now (bytes), what the device has free (bytes), and time (seconds)."""

    needed_bytes: int
    free_bytes: int
    seconds_per_step: float
    seconds: float


@contextmanager
def counting(seen: dict[int, int]) -> Iterator[None]:
    """Bytes that autograd keeps for the backward pass, by storage."""
    from torch.autograd.graph import saved_tensors_hooks

    def pack(tensor: "Tensor") -> "Tensor":
        storage = tensor.untyped_storage()
        seen[storage.data_ptr()] = storage.nbytes()
        return tensor

    with saved_tensors_hooks(pack, lambda tensor: tensor):
        yield


def free_bytes(device: str) -> int:
    """Memory that a training on `device` may still take."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.mem_get_info(device)[0])
    import psutil

    return int(psutil.virtual_memory().available)


def estimate(loop: "Loop", *, rows: int = 16) -> Estimate:
    """Forward and backward of `rows` texts, scaled to the batch; the weights stay untouched.

    Memory is taken at the longest texts of the corpus, so it is an upper bound; time at randomly chosen ones.
    Activations grow linearly with rows, which is why a few suffice and nothing can run out of memory here.
    """
    training = loop.config.training
    rows = min(rows, training.batch_size, loop.rows)
    lengths = sum(table.lengths.astype(np.int64) for table in loop.views.tables.values()) if loop.views.tables else None
    longest = np.argsort(lengths)[-rows:] if lengths is not None else np.arange(rows)
    some = numpy_rng(training.seed, "dry run").choice(loop.rows, size=rows, replace=False)
    own = (loop.encoder.backbone, loop.head, *loop.objectives.values())
    weights = {p.untyped_storage().data_ptr() for module in own if module is not None for p in module.parameters()}
    # Batch normalisation counts what it sees, also in a rehearsal.
    modules = [module for module in (loop.head, *loop.objectives.values()) if module is not None]
    before = [{name: tensor.clone() for name, tensor in module.state_dict().items()} for module in modules]
    share = training.batch_size / loop.processes.count
    # Alone: the other processes do not rehearse.
    processes, loop.processes = loop.processes, Processes(alone=True)
    step, kinds = loop.step, _kinds(loop)
    try:
        with seeded(training.seed, "dry run", device=str(loop.encoder.device)):
            activations, seconds = 0, 0.0
            # Steps of a kind, in which the same terms act, need the same.
            for first, part in kinds.values():
                loop.step = first
                seen: dict[int, int] = {}
                # Counting is each thread's own, so here one does it all.
                crew, loop.views.crew = loop.views.crew, None
                try:
                    with counting(seen):
                        _backward(loop, longest)
                finally:
                    loop.views.crew = crew
                found = sum(size for pointer, size in seen.items() if pointer not in weights)
                activations = max(activations, found)
                start = time.perf_counter()
                _backward(loop, some)
                seconds += part * (time.perf_counter() - start) * share / rows
    finally:
        loop.processes, loop.step = processes, step
    loop.optimizer.zero_grad(set_to_none=True)
    for module, kept in zip(modules, before, strict=True):
        module.load_state_dict(kept)
    parameters = sum(p.numel() * p.element_size() for p in loop.named_parameters().values())
    # Gradient and the two moments of AdamW beside each parameter; half again for bf16 copies.
    fixed = int(parameters * (3.5 if loop.precision == "bf16" else 3))
    needed = int(activations * share / rows) + fixed
    steps = training.steps - loop.step
    return Estimate(needed, free_bytes(str(loop.encoder.device)), seconds, seconds * steps)


def _kinds(loop: "Loop") -> dict[tuple[bool, ...], tuple[int, float]]:
    """The kinds of steps ahead, by which terms act: the first of each, and its share."""
    ahead = range(loop.step, max(loop.step + 1, min(loop.config.training.steps, loop.step + 1000)))
    found: dict[tuple[bool, ...], list[int]] = {}
    for number in ahead:
        found.setdefault(tuple(term.acts(number) for term in loop.config.terms), []).append(number)
    return {acting: (numbers[0], len(numbers) / len(ahead)) for acting, numbers in found.items()}


def _backward(loop: "Loop", batch: np.ndarray) -> None:
    found = loop.forward(batch, 0)
    if found is not None:
        found[0].backward()
        loop.views.backward()


def refuse_if_too_large(found: Estimate) -> None:
    """Stop before launch what cannot fit.

    Raises:
        Refused: with both figures and what to change.
    """
    if found.needed_bytes > found.free_bytes:
        raise Refused(
            f"This batch needs about {found.needed_bytes / 2**30:.1f} GiB; {found.free_bytes / 2**30:.1f} GiB are free.",
            rule="The batch size is never changed for you: it decides how many negatives there are.",
            way_out="Take a smaller batch, a shorter max_length, or a smaller backbone.",
        )
