"""Several processes, one batch: each encodes its share, all see all vectors, and the gradients add up to the whole batch's."""

import os
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.device import placed
from workbench.training.exchange import Exchange

WAIT_SECONDS = 300
"""How long one process waits for the others to come before it gives up."""
STILL_SECONDS = {"gloo": 3600, "nccl": 300}
"""How long it waits for them in a step, by the way in which they speak. A probe, which is the first one's alone, may take long
on a CPU; gloo notices by itself that another process is gone, NCCL may not."""

if TYPE_CHECKING:
    import torch
    from torch import Tensor


class Processes:
    """This process among those that `accelerate launch` or `torchrun` started; alone, it does nothing."""

    def __init__(self, *, alone: bool = False) -> None:
        self.count, self.index = 1, 0
        if int(os.environ.get("WORLD_SIZE", "1")) > 1 and not alone:
            from accelerate import PartialState

            on_cpu = os.environ.get("ACCELERATE_USE_CPU", "").lower() in ("1", "true", "yes")
            still = timedelta(seconds=STILL_SECONDS["gloo" if on_cpu else "nccl"])
            state = PartialState(cpu=on_cpu, timeout=still)
            self.count, self.index = state.num_processes, state.process_index
        self.exchange = Exchange(self.count) if self.count > 1 else None
        """Sums gradients over the processes; None for a process that is alone."""

    def share(self, batch: np.ndarray) -> np.ndarray:
        """The rows of the batch that this process encodes."""
        return batch.reshape(self.count, -1)[self.index]

    def gathered(self, vectors: "Tensor") -> "Tensor":
        """The rows of all processes in batch order; the gradient flows only into those of this process."""
        if self.count == 1:
            return vectors
        import torch
        from accelerate.utils import gather

        everyone: list[Tensor] = list(gather(vectors.detach().contiguous()).chunk(self.count))
        everyone[self.index] = vectors
        return torch.cat(everyone)

    def gathered_list(self, items: list[str]) -> list[str]:
        """The items of all processes in batch order."""
        if self.count == 1:
            return items
        from accelerate.utils import gather_object

        found: list[str] = gather_object(items)
        return found

    def total(self, count: int, device: "torch.device") -> "Tensor":
        """The sum of a number over the processes, (1,) on the device: nothing waits for it."""
        summed = placed(np.array([count]), device)
        if self.count > 1:
            from accelerate.utils import reduce

            summed = reduce(summed, reduction="sum")
        return summed
