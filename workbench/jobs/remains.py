"""What killed processes left in a runs folder's `.jobs`."""

import contextlib
import shutil
import time
from pathlib import Path

from workbench.store import events
from workbench.store.names import RunsFolder

DRAFT_SECONDS = 86_400.0
"""A new run or an import that nobody has added to for so long comes to nothing."""
_OF_A_PROCESS = {"heartbeats": (events.QUEUED, *events.LIVE, events.LOST), "ballast": (events.QUEUED, *events.LIVE)}
"""In which states a run's file there is of use; of a lost one the heartbeat says when it was last at work."""


def sweep(folder: RunsFolder) -> None:
    """Remove runs that were being deleted, drafts that were never finished, and what belongs to ended workers."""
    for path in folder.jobs.glob("deleted-*"):
        shutil.rmtree(path, ignore_errors=True)
    for pattern in ("new-*", "import-*"):
        for path in folder.jobs.glob(pattern):
            with contextlib.suppress(OSError):
                if time.time() - _touched(path) > DRAFT_SECONDS:
                    shutil.rmtree(path, ignore_errors=True)
    for name, states in _OF_A_PROCESS.items():
        for path in (folder.jobs / name).glob("*"):
            with contextlib.suppress(OSError):
                if events.status(folder.path / path.name).state not in states:
                    path.unlink()


def forget(folder: RunsFolder, run: str) -> None:
    """Remove what `.jobs` holds of a run that is deleted."""
    for place in (*_OF_A_PROCESS, "locks"):
        with contextlib.suppress(OSError):
            (folder.jobs / place / (f"{run}.lock" if place == "locks" else run)).unlink(missing_ok=True)


def _touched(path: Path) -> float:
    """When something was last added to a folder, or below it."""
    return max(one.stat().st_mtime for one in (path, *path.rglob("*")))
