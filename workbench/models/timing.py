"""Decides whether bf16 is worth using on this machine: timed once, in about half a second, and stored."""

import json
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from workbench.core.errors import BadSetting
from workbench.core.writing import write_json

_WORTH = 1.2  # a smaller speedup is not worth the rounding
_SECONDS = 0.1  # at least for each kind and number of rows, and four times at least
_HOPELESS = 0.3  # a speedup on few rows below which more rows cannot make up for it


def precision(name: str, device: str = "cpu", cache_folder: "str | Path | None" = None) -> Literal["fp32", "bf16"]:
    """`fp32` and `bf16` unchanged; `auto` becomes bf16 if a timing found it at least 1.2 times as fast, else fp32.

    The timing is stored in `cache_folder`/precision.json for this machine, device and torch version.

    Raises:
        BadSetting: another name.
    """
    if name == "fp32":
        return "fp32"
    if name == "bf16":
        return "bf16"
    if name != "auto":
        raise BadSetting(f"precision cannot be {name!r}.", rule="It is auto, fp32 or bf16.")
    path = Path(cache_folder) / "precision.json" if cache_folder else None
    known = _read(path)
    key = _machine(device)
    if key not in known:
        known[key] = speedup(device)
        if path is not None:
            write_json(path, known)
    return "bf16" if known[key] >= _WORTH else "fp32"


def speedup(device: str = "cpu") -> float:
    """Time in fp32 divided by time in bf16, for layers of a small encoder with random weights; medians of several runs.

    On a CPU one thread is timed, as each thread of a training computes by itself, by the time that it computes: what else
    is done meanwhile does not count.
    A processor without bf16 instructions can be fifty times slower in it, so a few rows are timed first. 0 without bf16.
    """
    import torch

    found, threads = 0.0, torch.get_num_threads()
    try:
        torch.set_num_threads(1 if device == "cpu" else threads)
        for rows in (16, 1024):
            fp32, bf16 = (_median(_layer(rows, kind, device), device) for kind in ("float32", "bfloat16"))
            found = round(fp32 / bf16, 3)
            if found < _HOPELESS:
                break
    except RuntimeError:  # a device without bf16
        return 0.0
    finally:
        torch.set_num_threads(threads)
    return found


def _layer(rows: int, kind: str, device: str) -> Callable[[], object]:
    import torch

    generator = torch.Generator().manual_seed(0)
    states, up, down = (
        torch.randn(size, generator=generator).to(device, getattr(torch, kind))
        for size in ((rows, 384), (384, 1536), (1536, 384))
    )

    def layer() -> torch.Tensor:
        with torch.inference_mode():
            found = states
            for _ in range(2):
                found = torch.nn.functional.layer_norm(torch.nn.functional.gelu(found @ up) @ down, (384,))
            return found

    return layer


def _median(work: Callable[[], object], device: str) -> float:
    import torch

    def wait() -> None:
        if device.startswith("cuda"):
            torch.cuda.synchronize(device)
        elif device == "mps":
            torch.mps.synchronize()

    fine = time.get_clock_info("thread_time").resolution < 1e-4  # not on Windows
    clock = time.thread_time if device == "cpu" and fine else time.perf_counter
    times: list[float] = []
    began = clock()
    while len(times) < 4 or (clock() - began < _SECONDS and len(times) < 50):
        start = clock()
        work()
        wait()
        times.append(clock() - start)
    return sorted(times[1:])[(len(times) - 1) // 2]  # the first run pays for set-up


def _machine(device: str) -> str:
    import torch

    chip = (
        torch.cuda.get_device_name(device)
        if device.startswith("cuda")
        else f"{device} {platform.machine()} {platform.node()}"
    )
    return f"{chip}, torch {torch.__version__}"


def _read(path: Path | None) -> dict[str, float]:
    try:
        found = json.loads(path.read_text(encoding="utf-8")) if path else {}
    except (OSError, ValueError):
        return {}
    return {key: float(value) for key, value in found.items()} if isinstance(found, dict) else {}
