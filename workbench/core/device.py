"""Devices to compute on, and the environment that every process gets before torch is imported."""

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from workbench.core import cgroups
from workbench.core.errors import BadSetting

if TYPE_CHECKING:
    import numpy as np
    import torch

NUMBERS: dict[str, float] = {
    "WORKBENCH_THREADS": 1,
    "WORKBENCH_MODELS": 1,
    "WORKBENCH_CACHE_BYTES": 0,
    "WORKBENCH_CHECKPOINT_SECONDS": 0.0,
    "WORKBENCH_IDLE_SECONDS": 0.0,
    "WORKBENCH_SPARES": 0,
}
"""The environment variables that hold a number, each with its smallest value; an int means that only integers are allowed."""
_Number = TypeVar("_Number", int, float)
_CHECKED = ContextVar("checked", default=False)


def available() -> list[str]:
    """Devices of this machine, best first, the CPU always last. Imports torch."""
    import torch

    names = [f"cuda:{index}" for index in range(torch.cuda.device_count())] if torch.cuda.is_available() else []
    if torch.backends.mps.is_available():
        names.append("mps")
    return [*names, "cpu"]


def choose(name: str) -> str:
    """The device that `name` stands for: the best one for `auto`, the first GPU for `cuda`, else `name` itself.

    Raises:
        BadSetting: this machine has no such device.
    """
    names = available()
    if name == "auto":
        return names[0]
    if name == "cuda" and names[0].startswith("cuda"):
        return names[0]
    if name not in names:
        raise BadSetting(
            f"There is no device {name!r} here.", rule=f"This machine has: {', '.join(names)}.", way_out="Use auto."
        )
    return name


@contextmanager
def current(device: "torch.device | str") -> Iterator[None]:
    """A context in which a GPU is this thread's current one; no other device changes anything.

    Operations of torch follow their tensors, but events, CUDA graphs, pinned memory and Triton's kernels go to the current GPU.
    """
    import torch

    with torch.cuda.device(device) if torch.device(device).type == "cuda" else nullcontext():
        yield


def make_current(device: str) -> None:
    """Make a GPU the current one of this thread for good, so that no other gets a context, which takes memory of its own."""
    import torch

    if torch.device(device).type == "cuda":
        torch.cuda.set_device(device)


def placed(values: "np.ndarray", device: "torch.device | str") -> "torch.Tensor":
    """`values` as a tensor on `device`, same shape; the copy to a GPU is asynchronous, so the caller does not wait.

    >>> import numpy
    >>> placed(numpy.array([1.5, 2.0]), "cpu").tolist()
    [1.5, 2.0]
    """
    import torch

    return sent(torch.from_numpy(values), torch.device(device))


def sent(tensor: "torch.Tensor", device: "torch.device") -> "torch.Tensor":
    """`tensor` on `device`; a copy from CPU memory to a GPU is asynchronous, so the caller does not wait."""
    if device.type != "cuda" or tensor.device.type != "cpu":
        return tensor.to(device)
    # From memory that is not pinned, the copy would be made twice, the first time by this thread.
    return tensor.pin_memory().to(device, non_blocking=True)


def queues(device: "torch.device") -> bool:
    """Whether a device works through a queue while the host goes on, so that the host should not wait for it.

    A CUDA GPU; or meta, which stands in for one in tests, and refuses whatever would have to wait. MPS was never tried.
    """
    return device.type in ("cuda", "meta")


def at_hand(tensor: "torch.Tensor") -> bool:
    """Whether the values of `tensor` can be read at no cost: on a GPU the read would wait for all queued work."""
    return tensor.device.type == "cpu"


@contextmanager
def checked() -> Iterator[None]:
    """A context in which values on a GPU are not checked, because they were checked before they were copied there."""
    token = _CHECKED.set(True)
    try:
        yield
    finally:
        _CHECKED.reset(token)


def to_check(tensor: "torch.Tensor") -> bool:
    """Whether a check must read the values of `tensor`: always, except on a GPU inside `checked`."""
    return at_hand(tensor) or not _CHECKED.get()


def threads() -> int:
    """How many threads one process computes with: WORKBENCH_THREADS, else the cores this process may use, also in a container.

    Raises:
        BadSetting: see `number`.
    """
    if named := number("WORKBENCH_THREADS", 0):
        return named
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return math.ceil(min(there, cgroups.cores()))


def number(variable: str, otherwise: _Number) -> _Number:
    """The value of an environment variable in NUMBERS, of the same type as `otherwise`, which is returned if it is not set.

    Raises:
        BadSetting: the value is not such a number, or is too small.
    """
    said = os.environ.get(variable, "").strip()
    if not said:
        return otherwise
    kind, least = type(otherwise), NUMBERS[variable]
    try:
        if (found := kind(said)) >= least:
            return found
    except ValueError:
        pass
    raise BadSetting(
        f"{variable} cannot be {said[:80]!r}.",
        rule=f"It is a {'whole ' if kind is int else ''}number from {least:g}.",
        way_out="Unset it to use the default.",
    )


def process_environment(count: int | None = None) -> Mapping[str, str]:
    """Environment variables for a process that will import torch and compute with `count` threads (default: `threads()`).

    Threads wait passively: two processes that spin on the same two cores stall each other (an 8 s run did not end in 120 s).

    Raises:
        BadSetting: a variable of NUMBERS is not a number, or is too small.
    """
    for variable, least in NUMBERS.items():
        number(variable, least)
    each = str(count or threads())
    return {
        **os.environ,
        "OMP_WAIT_POLICY": "PASSIVE",
        # But not immediately: threads that sleep between small operations cost a third of the speed.
        "GOMP_SPINCOUNT": "30000",
        "OMP_NUM_THREADS": each,
        "MKL_NUM_THREADS": each,
        "OPENBLAS_NUM_THREADS": each,
        "NUMBA_NUM_THREADS": each,
        "TOKENIZERS_PARALLELISM": "false",
        "PYTHONUTF8": "1",
        # `python -m` would look for modules in the current folder first, and a run may be started from any folder.
        "PYTHONSAFEPATH": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
