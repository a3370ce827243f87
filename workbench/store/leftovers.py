"""What killed processes and deleted runs left beside the runs of a folder."""

import contextlib
import shutil
import time
from pathlib import Path

from workbench.store import events, results
from workbench.store.names import RunsFolder

DRAFT_SECONDS = 86_400.0
"""A new run or an import that nobody has added to for so long comes to nothing."""
_OF_A_PROCESS = {"heartbeats": (events.QUEUED, *events.LIVE, events.LOST), "ballast": (events.QUEUED, *events.LIVE)}
"""In which states a run's file there is of use; of a lost one the heartbeat says when it was last at work."""


def sweep(folder: RunsFolder) -> None:
    """Remove runs that were being deleted, drafts that were never finished, archives of runs that are gone, and what
    belongs to ended workers.
    """
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
    runs = {path for run in folder.run_folders() for path in archives(folder, run.name)}
    for path in (folder.cache / results.EXPORTS).glob("*.zip"):
        if path not in runs:
            with contextlib.suppress(OSError):
                path.unlink()


def sweep_run(run: Path) -> None:
    """Remove the files that a killed worker was about to put in place. Nobody else may be writing into the run's folder."""
    for path in run.rglob(".*.tmp"):
        with contextlib.suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def forget(folder: RunsFolder, run: str) -> None:
    """Remove what `.jobs` holds of a run that is deleted, and its archives."""
    own = [folder.jobs / place / run for place in _OF_A_PROCESS]
    for path in (*own, folder.jobs / "locks" / f"{run}.lock", *archives(folder, run)):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def archives(folder: RunsFolder, run: str) -> tuple[Path, Path]:
    """Where the archives of a run for a download lie: the one with weights, and the light one."""
    place = folder.cache / results.EXPORTS
    return place / f"{run}.zip", place / f"{run}-light.zip"


def _touched(path: Path) -> float:
    """When something was last added to a folder, or below it."""
    return max(one.stat().st_mtime for one in (path, *path.rglob("*")))
