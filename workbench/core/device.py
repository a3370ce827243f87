"""Where computing happens: device names, and the environment every process gets before torch is imported."""

import os
from collections.abc import Mapping

from workbench.core.errors import BadSetting


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


def threads() -> int:
    """How many threads one process computes with: WORKBENCH_THREADS, else the cores this process may use.

    Raises:
        BadSetting: WORKBENCH_THREADS is no whole number from 1.
    """
    if named := os.environ.get("WORKBENCH_THREADS"):
        if not named.strip().isdecimal() or int(named) < 1:
            raise BadSetting(
                f"WORKBENCH_THREADS cannot be {named!r}.",
                rule="It is a whole number from 1.",
                way_out="Without it, all cores are used.",
            )
        return int(named)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def process_environment(count: int | None = None) -> Mapping[str, str]:
    """Environment for a process that will import torch.

    Passive waiting: two processes that spin on the same two cores stall each other (a run of 8 s did not end in 120 s).
    """
    number = str(count or threads())
    return {
        **os.environ,
        "OMP_WAIT_POLICY": "PASSIVE",
        # Not at once, though: a thread that sleeps between two small operations costs a third of the speed.
        "GOMP_SPINCOUNT": "30000",
        "OMP_NUM_THREADS": number,
        "MKL_NUM_THREADS": number,
        "OPENBLAS_NUM_THREADS": number,
        "NUMBA_NUM_THREADS": number,
        "TOKENIZERS_PARALLELISM": "false",
        "PYTHONUTF8": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
