"""Removes what killed processes and deleted runs left in a runs folder."""

import contextlib
import shutil
import time
from pathlib import Path

from workbench.store import events, results
from workbench.store.names import CHECKPOINTS, RunsFolder
from workbench.store.run import Run

DRAFT_SECONDS = 86_400.0
"""A draft of a new run or import that was not written to for this long is abandoned."""
_OF_A_PROCESS = {"heartbeats": (events.QUEUED, *events.LIVE, events.LOST), "ballast": (events.QUEUED, *events.LIVE)}
"""The states in which a run still needs its file there. For a lost run, the heartbeat shows when it last worked."""


def sweep(folder: RunsFolder) -> None:
    """Remove partly deleted runs, abandoned drafts, archives of deleted runs, and the files of workers that have ended."""
    for path in folder.jobs.glob("deleted-*"):
        if path.is_symlink():
            with contextlib.suppress(OSError):
                path.unlink()
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
                    drop_last(Run(folder.path / path.name))  # its worker may have been killed before
                    path.unlink()
    runs = {path for run in folder.run_folders() for path in archives(folder, run.name)}
    for path in (folder.cache / results.EXPORTS).glob("*.zip"):
        if path not in runs:
            with contextlib.suppress(OSError):
                path.unlink()


def sweep_run(run: Path) -> None:
    """Remove temporary files that a killed worker left. No process may be writing to the run's folder meanwhile."""
    for path in run.rglob(".*.tmp"):
        with contextlib.suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def keeps_last(run: Run) -> bool:
    """Whether a run keeps its last checkpoint: not once it is done, where only the best is to be kept. A resume needs it until
    then.
    """
    return run.recorded_status.state != events.DONE or bool(run.problem) or run.config.storage.checkpoints != "best"


def drop_last(run: Run) -> None:
    """Remove the last checkpoint of a run that does not keep it."""
    if not keeps_last(run):
        shutil.rmtree(run.folder / CHECKPOINTS / "last", ignore_errors=True)


def forget(folder: RunsFolder, run: str) -> None:
    """Remove the files of a deleted run in `.jobs`, and its archives."""
    files = [folder.jobs / place / run for place in _OF_A_PROCESS]
    for path in (*files, folder.jobs / "locks" / f"{run}.lock", *archives(folder, run)):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def archives(folder: RunsFolder, run: str) -> tuple[Path, Path]:
    """The files of a run's archives for download: the one with weights and the light one. They need not exist."""
    place = folder.cache / results.EXPORTS
    return place / f"{run}.zip", place / f"{run}-light.zip"


def _touched(path: Path) -> float:
    """When a folder or anything in it was last changed, in seconds since 1970."""
    return max(one.stat().st_mtime for one in (path, *path.rglob("*")))
