"""Which folders of the app's machine a page may read from: whoever opens the app must not be able to read everything."""

import os
from pathlib import Path

from workbench.data.files import resolve_inside
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
    """A typed pair set, `TASK:SPLIT@FOLDER` or a file, as it was typed; see `inside`."""
    if not pairs.startswith("demo:"):
        inside(pairs.partition("@")[2] if "@" in pairs else pairs.partition("#")[0])
    return pairs
