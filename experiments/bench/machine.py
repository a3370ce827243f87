"""What the figures depend on."""

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from experiments.bench import Row
from workbench.core import device as devices


def machine() -> Row:
    """What the figures depend on: processor, threads, native bf16, versions."""
    import torch

    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        name = names[0] if names else name
    packages = ("torch", "transformers", "sentence-transformers", "streamlit", "numpy", "scikit-learn", "umap-learn")
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": name,
        "cores": devices.threads(),
        "devices": devices.available(),
        "native_bf16": bool(getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)()),
        "python": platform.python_version(),
        **{package: found for package in packages if (found := _version(package))},
    }


def _version(package: str) -> str:
    """Its version; empty if it is not installed, as on a GPU machine without the app."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
