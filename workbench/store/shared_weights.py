"""Weights that a finished run has twice are stored once: those of a checkpoint that are in the model folder, and those of two
checkpoints of the same step.

Nothing is assumed: a checkpoint refers to the model folder only if every tensor in it was compared, bit for bit.
"""

import filecmp
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.writing import write_json
from workbench.models.tensors import save_tensors
from workbench.store import names
from workbench.store.checkpoints import load, remove_unnamed, shared_file, state

if TYPE_CHECKING:
    from torch import Tensor

BACKBONE = "backbone."
"""Before the names of a backbone's tensors in a checkpoint; the model folder has them without."""


def share_with_model(checkpoint: Path, model: str) -> bool:
    """Drop the weights of a checkpoint that the run's folder `model` holds too; whether it was possible.

    `model` is `model` or `backbone`. The rest stays in the checkpoint: a head, parameters of objectives.
    """
    from safetensors import safe_open

    saved, file = state(checkpoint), shared_file(checkpoint, model)
    if saved is None or "weights" not in saved["files"] or "shared" in saved or not file.is_file():
        return False
    with safe_open(checkpoint / saved["files"]["weights"], "pt") as own, safe_open(file, "pt") as other:
        mine, there = set(own.keys()), {f"{BACKBONE}{name}" for name in other.keys()}  # noqa: SIM118 - not a mapping
        if not there or not there <= mine:
            return False
        if not all(_same(own.get_tensor(name), other.get_tensor(name.removeprefix(BACKBONE))) for name in there):
            return False
        rest = {name: own.get_tensor(name) for name in mine - there}
    files = {name: file for name, file in saved["files"].items() if name != "weights"}
    if rest:
        files["weights"] = f"model-{saved['step']}-{secrets.token_hex(2)}.safetensors"
        save_tensors(checkpoint / files["weights"], rest)
    write_json(checkpoint / names.STATE, {**saved, "files": files, "shared": model})
    remove_unnamed(checkpoint)
    return True


def share_with_checkpoint(checkpoint: Path, other: Path) -> bool:
    """Make the weights of `checkpoint` a second name of the same file of `other`, if both are equal; whether they are.

    On a disk without hard links both stay.
    """
    first, second = state(checkpoint), state(other)
    if first is None or second is None or "weights" not in first["files"] or "weights" not in second["files"]:
        return False
    path, same = checkpoint / first["files"]["weights"], other / second["files"]["weights"]
    if path.samefile(same) or not filecmp.cmp(path, same, shallow=False):
        return path.samefile(same)
    draft = path.with_suffix(".tmp")
    draft.unlink(missing_ok=True)
    try:
        os.link(same, draft)
    except OSError:
        return False
    draft.replace(path)
    return True


def separate(checkpoint: Path) -> None:
    """Undo `share_with_model`: the checkpoint holds all its weights again. Nothing happens if it does, or is damaged."""
    saved = state(checkpoint)
    if saved is None or "shared" not in saved:
        return
    weights, _, _ = load(checkpoint)
    files = {**saved["files"], "weights": f"model-{saved['step']}-{secrets.token_hex(2)}.safetensors"}
    save_tensors(checkpoint / files["weights"], weights)
    whole = {name: value for name, value in saved.items() if name != "shared"}
    write_json(checkpoint / names.STATE, {**whole, "files": files})
    remove_unnamed(checkpoint)


def _same(first: "Tensor", second: "Tensor") -> bool:
    """Whether two tensors are equal to the last bit, which tells 0 from -0."""
    import torch

    if first.dtype != second.dtype or first.shape != second.shape:
        return False
    return torch.equal(*(tensor.reshape(-1).view(torch.uint8) for tensor in (first, second)))
