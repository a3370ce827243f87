"""Where computing happens: device names, and the environment every process gets before torch is imported."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

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
}
"""The variables of the environment that hold a number, each with the least it can be; whole where that is."""
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
    """`auto` becomes the best device; anything else must exist.

    Raises:
        BadSetting: a device this machine does not have.
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


def placed(values: "np.ndarray", device: "torch.device | str") -> "torch.Tensor":
    """An array as a tensor on a device; the copy to a GPU is asynchronous, so the caller does not wait.

    >>> import numpy
    >>> placed(numpy.array([1.5, 2.0]), "cpu").tolist()
    [1.5, 2.0]
    """
    import torch

    # CUDA has its own copy of what is not pinned before this returns, so the array may change or go.
    return torch.from_numpy(values).to(device, non_blocking=torch.device(device).type == "cuda")


def at_hand(tensor: "torch.Tensor") -> bool:
    """Whether its values can be read at no cost: on a GPU the read would wait for all queued work."""
    return tensor.device.type == "cpu"


@contextmanager
def checked() -> Iterator[None]:
    """A context for values that were checked before they went to a device: a GPU is not read again."""
    token = _CHECKED.set(True)
    try:
        yield
    finally:
        _CHECKED.reset(token)


def to_check(tensor: "torch.Tensor") -> bool:
    """Whether a check must read the values: always, except on a GPU where they are `checked`."""
    return at_hand(tensor) or not _CHECKED.get()


def threads() -> int:
    """How many threads one process computes with: WORKBENCH_THREADS, else the cores this process may use.

    Raises:
        BadSetting: see `number`.
    """
    if named := number("WORKBENCH_THREADS", 0):
        return named
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def number(variable: str, otherwise: _Number) -> _Number:
    """What a variable of NUMBERS says, as a number of the kind of `otherwise`, which holds where it says nothing.

    Raises:
        BadSetting: no such number, or too small a one.
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
    """Environment for a process that will import torch.

    Passive waiting: two processes that spin on the same two cores stall each other (a run of 8 s did not end in 120 s).

    Raises:
        BadSetting: a variable that such a process reads is not a number, or too small a one.
    """
    for variable, least in NUMBERS.items():
        number(variable, least)
    each = str(count or threads())
    return {
        **os.environ,
        "OMP_WAIT_POLICY": "PASSIVE",
        # Not at once, though: a thread that sleeps between two small operations costs a third of the speed.
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
