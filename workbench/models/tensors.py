"""Tensor files in safetensors format, written atomically and checked before they replace anything."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.writing import write_file

if TYPE_CHECKING:
    from torch import Tensor


def save_tensors(path: Path, tensors: "Mapping[str, Tensor]", metadata: dict[str, str] | None = None) -> None:
    """Write tensors by name, keeping shapes and dtypes; see `writing.write_file`.

    Raises:
        OSError, safetensors.SafetensorError: they cannot be written, or were not written completely.
    """
    from safetensors.torch import save_file

    cpu = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}

    def save(draft: Path) -> None:
        save_file(cpu, draft, metadata)
        check_tensors(draft)

    write_file(path, save)


def check_tensors(path: Path) -> None:
    """Check by header and length that a file is complete; the tensors are not read.

    Raises:
        OSError, safetensors.SafetensorError: it is incomplete or cannot be read.
    """
    from safetensors import safe_open

    with safe_open(path, framework="pt"):
        pass
