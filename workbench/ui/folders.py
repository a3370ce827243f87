"""Which folders of the app's machine a page may read from: whoever opens the app must not be able to read everything."""

import os
import re
from pathlib import Path
from typing import Any

from workbench.data.files import resolve_inside
from workbench.jobs.perturbed import dropout_rate
from workbench.store.names import runs_folder


def allowed_folders() -> list[Path]:
    """WORKBENCH_FOLDERS (separated as in PATH), else where the app was started, what lies beside it, and the home folder.

    The runs folder always belongs to them: uploads are kept there.
    """
    named = [Path(name).expanduser() for name in os.environ.get("WORKBENCH_FOLDERS", "").split(os.pathsep) if name]
    return [*(named or [Path.cwd().parent, Path.home()]), runs_folder().path]


def inside(path: str) -> str:
    """A typed path, as it was typed.

    Raises:
        OutsideFolders: it leads out of the allowed folders.
    """
    if path:
        resolve_inside(path, allowed_folders())
    return path


def pairs_inside(pairs: str) -> str:
    """A typed pair set, `TASK:SPLIT@FOLDER`, `FILE` or `FILE#SPLIT`, as it was typed; see `inside`."""
    from workbench.data.files import split_source

    if not pairs.startswith("demo:"):
        inside(pairs.partition("@")[2] if "@" in pairs else str(split_source(pairs)[0]))
    return pairs


def model_inside(name: str) -> str:
    """A typed model, a Hub id or a folder with what may stand behind it, as it was typed; see `inside`."""
    for bare in (name, re.split(r"[@+:]", name, maxsplit=1)[0]):
        if bare and _there(bare):
            inside(bare)
    return name


def _there(path: str) -> bool:
    """Whether a path exists; also where nobody can tell, such as in the home of a stranger: `inside` refuses that."""
    try:
        return Path(path).expanduser().exists()
    except (OSError, RuntimeError):
        return True


def asked_inside(arguments: dict[str, Any]) -> None:
    """What a page is about to ask; every model and pipeline in it as in `inside`. Corpora and pairs were looked at where
    they were typed.
    """
    for name in ("target", "backbone"):
        model_inside(str(arguments.get(name, "")))
    lines = arguments.get("pipelines") or [arguments.get("pipeline", "")]
    for line in map(str, lines):
        if dropout_rate(line) is None:  # dropout names no file, and is no pipeline
            pipeline_inside(line)


def pipeline_inside(line: str) -> str:
    """A pipeline as it was typed; models and files that its settings name are looked at as in `inside`."""
    from workbench.augmentations.pipeline import parse

    for step in parse(line).all():
        for value in step.settings.values():
            if isinstance(value, str):
                model_inside(value.removeprefix("backbone:"))
    return line
