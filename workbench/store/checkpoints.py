"""Checkpoints: safetensors for all tensors, JSON for the rest. A new checkpoint replaces the old one in a single step.

`state.json` names the files that belong together and is replaced last, so a crash leaves either the old checkpoint or
the new one, never a mixture.
"""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import BadRun
from workbench.core.writing import write_json
from workbench.store import names
from workbench.store.fitting import read_whole
from workbench.store.shapes import State

if TYPE_CHECKING:
    from torch import Tensor


LAST_SECONDS = 30.0
"""Least time between two `last` checkpoints; writing them never takes more than a twentieth of the time."""


def save(
    folder: Path,
    weights: Mapping[str, "Tensor"],
    state: Mapping[str, object],
    moments: "Mapping[str, Tensor] | None" = None,
) -> None:
    """Write the weights (fp32) and, if given, the optimiser's tensors, which a resume needs. `state` has at least
    `step`.

    If this fails, the old checkpoint stays complete.
    """
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
    """The most disk space, in bytes, that the checkpoints of a run take, with AdamW's two moments in addition to the
    weights.

    `again`: whether `last` is written more than once; the old one is kept until the new one is complete. With
    `selects`, the new and the previous best checkpoint can exist at the same time. At the end, the model folder is
    added to `last` and `best`.

    >>> most_bytes(70, selects=True, again=True), most_bytes(70, selects=False, again=False)
    (560, 350)
    """
    last = 3
    return weights_bytes * max((2 if selects else 0) + (2 * last if again else last), last + 2)


def written_again(seconds: float, pause: float = LAST_SECONDS) -> bool:
    """Whether a run that is estimated to train for so long writes `last` more than once; it may take twice as long.

    >>> written_again(14.0), written_again(16.0)
    (False, True)
    """
    return 2 * seconds > pause


def _sweep(folder: Path, keep: set[str]) -> None:
    for path in folder.iterdir():
        if path.suffix in (".safetensors", ".tmp") and path.name not in keep:
            path.unlink(missing_ok=True)


def state(folder: Path) -> State | None:
    """The state of a complete checkpoint (step, samples and what else was saved); None if there is no complete one."""
    lost: list[str] = []
    saved = read_whole(folder / names.STATE, State, lost)
    if lost or saved is None or "files" not in saved or not all(path.is_file() for path in _paths(folder, saved)):
        return None
    return saved


def shared_file(folder: Path, model: str) -> Path:
    """The file of the run's model folder that a checkpoint in `folder` may share weights with, see `shared_weights`."""
    return folder.parent.parent / model / "model.safetensors"


def _paths(folder: Path, saved: State) -> list[Path]:
    """The tensor files of a checkpoint, that of the model folder included."""
    shared = [shared_file(folder, saved["shared"])] if "shared" in saved else []
    return [folder / name for name in saved["files"].values()] + shared


def whole(folder: Path) -> State | None:
    """As `state`, but None if a file is incomplete, judged by its header and length. Tensors are not read.

    Prefer `state` when it is enough that the files exist: it opens none of them.
    """
    from safetensors import SafetensorError

    from workbench.models.tensors import check_tensors

    saved = state(folder)
    try:
        for path in _paths(folder, saved) if saved else ():
            check_tensors(path)
    except (SafetensorError, OSError):
        return None
    return saved


def begun(folder: Path) -> bool:
    """Whether a checkpoint was ever complete there, even if it was damaged since.

    A process killed while writing the first checkpoint leaves no state; while writing a later one, it leaves the old
    state.
    """
    return (folder / names.STATE).exists()


def load(
    folder: Path, *, way_out: str = "Use another checkpoint."
) -> "tuple[dict[str, Tensor], dict[str, Tensor], State]":
    """Weights by name, the optimiser's tensors (empty if they were not kept), and the state.

    Raises:
        BadRun: there is no complete checkpoint, or its files are damaged; `way_out` is part of the message.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    saved = state(folder)
    if saved is None and begun(folder):
        raise BadRun(
            f"The checkpoint {folder} is damaged: {names.STATE}, or a file that it names or shares with the model.",
            way_out=way_out,
        )
    if saved is None:
        raise BadRun(f"{folder} holds no complete checkpoint.", way_out="Resume or repeat the run.")
    try:
        weights = load_file(folder / saved["files"]["weights"]) if "weights" in saved["files"] else {}
        if "shared" in saved:
            model = load_file(shared_file(folder, saved["shared"]))
            weights = {**{f"backbone.{name}": tensor for name, tensor in model.items()}, **weights}
        moments = load_file(folder / saved["files"]["optimizer"]) if "optimizer" in saved["files"] else {}
    except (SafetensorError, OSError) as error:
        raise BadRun(f"The checkpoint {folder} cannot be read: {error}.", way_out=way_out) from None
    return weights, moments, saved


def drop_optimizer(folder: Path) -> None:
    """Remove the optimiser's tensors from a checkpoint that will not be resumed from; the weights stay."""
    saved = state(folder)
    if saved is not None and "optimizer" in saved["files"]:
        saved["files"].pop("optimizer")
        write_json(folder / names.STATE, saved)
        remove_unnamed(folder)


def drop_weights(folder: Path, prefix: str) -> None:
    """Remove the weights whose names begin with `prefix` from a checkpoint."""
    from safetensors.torch import load_file

    from workbench.models.tensors import save_tensors

    saved = state(folder)
    if saved is None or "weights" not in saved["files"]:
        return
    weights = load_file(folder / saved["files"]["weights"])
    left = {name: tensor for name, tensor in weights.items() if not name.startswith(prefix)}
    if len(left) == len(weights):
        return
    files = {name: file for name, file in saved["files"].items() if name != "weights"}
    if left:
        files["weights"] = f"model-{saved['step']}-{secrets.token_hex(2)}.safetensors"
        save_tensors(folder / files["weights"], left)
    write_json(folder / names.STATE, {**saved, "files": files})
    remove_unnamed(folder)


def remove_unnamed(folder: Path) -> None:
    """Remove the tensor files of a checkpoint that its state does not name."""
    if (saved := state(folder)) is not None:
        _sweep(folder, set(saved["files"].values()))


def point_to_backbone(folder: Path, state: Mapping[str, object]) -> None:
    """Write a checkpoint that stands for the untrained backbone and has no weights."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / names.STATE, {**state, "files": {}})
    _sweep(folder, set())
