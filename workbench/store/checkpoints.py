"""Checkpoints: safetensors for every tensor, JSON for the rest, and a new one replaces an old one in a single step.

`state.json` names the files that belong together and is replaced last, so a crash leaves the old checkpoint or the
new one, never a mixture.
"""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import BadRun
from workbench.core.writing import write_json
from workbench.store import names
from workbench.store.shapes import State, read_whole

if TYPE_CHECKING:
    from torch import Tensor


def save(
    folder: Path,
    weights: Mapping[str, "Tensor"],
    state: Mapping[str, object],
    moments: "Mapping[str, Tensor] | None" = None,
) -> None:
    """Write weights (fp32) and, for resuming, the optimiser's tensors. On failure the old checkpoint stays whole."""
    from workbench.models.tensors import save_tensors

    folder.mkdir(parents=True, exist_ok=True)
    mark = f"{state['step']}-{secrets.token_hex(2)}"
    files = {"weights": f"model-{mark}.safetensors"}
    if moments is not None:
        files["optimizer"] = f"optimizer-{mark}.safetensors"
    try:
        for part, tensors in (("weights", weights), ("optimizer", moments)):
            if tensors is not None:
                save_tensors(folder / files[part], tensors)
        write_json(folder / names.STATE, {**state, "files": files})
    except BaseException:
        for name in files.values():
            (folder / name).unlink(missing_ok=True)
        raise
    _sweep(folder, set(files.values()))


def most_bytes(weights_bytes: int, *, selects: bool, again: bool) -> int:
    """The room that the checkpoints of a run take at most, in bytes, for AdamW's two moments beside the weights.

    `again`: whether `last` is written more than once, the old one staying until the new one is whole. With `selects` the
    best one may stand beside the best one before it meanwhile. In the end the model folder comes to `last` and `best`.

    >>> most_bytes(70, selects=True, again=True), most_bytes(70, selects=False, again=False)
    (560, 350)
    """
    last = 3
    return weights_bytes * max((2 if selects else 0) + (2 * last if again else last), last + 2)


def _sweep(folder: Path, keep: set[str]) -> None:
    for path in folder.iterdir():
        if path.suffix in (".safetensors", ".tmp") and path.name not in keep:
            path.unlink(missing_ok=True)


def state(folder: Path) -> State | None:
    """Step, samples and whatever was saved with a complete checkpoint; None if there is none."""
    lost: list[str] = []
    found = read_whole(folder / names.STATE, State, lost)
    if (
        lost
        or found is None
        or "files" not in found
        or not all((folder / name).is_file() for name in found["files"].values())
    ):
        return None
    return found


def whole(folder: Path) -> State | None:
    """`state`, if each file is a whole one, as its head and its length tell: the tensors are not read."""
    from safetensors import SafetensorError

    from workbench.models.tensors import check_tensors

    found = state(folder)
    try:
        for name in found["files"].values() if found else ():
            check_tensors(folder / name)
    except (SafetensorError, OSError):
        return None
    return found


def begun(folder: Path) -> bool:
    """Whether a checkpoint was ever complete there, be it damaged since: a process that is killed while it writes the
    first one leaves no state, and while it writes a later one the state before.
    """
    return (folder / names.STATE).exists()


def load(
    folder: Path, *, way_out: str = "Use another checkpoint."
) -> "tuple[dict[str, Tensor], dict[str, Tensor], State]":
    """Weights, the optimiser's tensors (empty where they were not kept), and the state.

    Raises:
        BadRun: no complete checkpoint, or damaged files; with `way_out`.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    found = state(folder)
    if found is None and begun(folder):
        raise BadRun(f"The checkpoint {folder} is damaged: {names.STATE} or a file that it names.", way_out=way_out)
    if found is None:
        raise BadRun(f"{folder} holds no complete checkpoint.", way_out="Resume or repeat the run.")
    try:
        weights = load_file(folder / found["files"]["weights"]) if "weights" in found["files"] else {}
        moments = load_file(folder / found["files"]["optimizer"]) if "optimizer" in found["files"] else {}
    except (SafetensorError, OSError) as error:
        raise BadRun(f"The checkpoint {folder} cannot be read: {error}.", way_out=way_out) from None
    return weights, moments, found


def drop_optimizer(folder: Path) -> None:
    """Keep only the weights of a checkpoint that nobody will resume from."""
    found = state(folder)
    if found is not None and "optimizer" in found["files"]:
        found["files"].pop("optimizer")
        write_json(folder / names.STATE, found)
        _sweep(folder, set(found["files"].values()))


def point_to_backbone(folder: Path, state: Mapping[str, object]) -> None:
    """A checkpoint that is the untrained backbone: no weights of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / names.STATE, {**state, "files": {}})
    _sweep(folder, set())
