"""Which runs a folder has, and who looks after them. Light: the way to a list leads through here and imports nothing else."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from workbench.core import paths
from workbench.core.errors import BadRun, WorkbenchError, unknown
from workbench.jobs import service
from workbench.store import events, names
from workbench.store.listed import is_over
from workbench.store.names import RunsFolder
from workbench.store.run import Run


def supervisor(folder: RunsFolder) -> service.Service:
    """The process that starts the runs of a folder."""
    return service.Service(folder, "supervisor")


def all_runs(folder: RunsFolder) -> list[Run]:
    """Newest first. Folders without configuration are no runs."""
    folders = folder.run_folders()
    return [Run(path) for path in folders if (path / names.CONFIG).exists() or (path / names.EVENTS).exists()]


def look_after(folder: RunsFolder, runs: Sequence[Run] | None = None) -> None:
    """Runs that wait need a supervisor: whoever looks sees to it, should the last one have been killed.

    What cannot be started is no reason to show nothing: whoever submits, resumes or follows is told.
    """
    runs = all_runs(folder) if runs is None else runs
    if any(not is_over(run) and run.told.state in (events.QUEUED, *events.LIVE) for run in runs):
        with suppress(WorkbenchError, OSError):
            supervisor(folder).ensure()


def find(folder: RunsFolder, name: str | Path | Run) -> Run:
    """A run by itself, folder, id, unique beginning of an id, or label.

    Raises:
        BadRun: several could be meant.
        UnknownName: none, with the nearest ids.
    """
    if isinstance(name, Run):
        return name
    path = Path(name)
    if len(path.parts) > 1 and (found := paths.found(path / names.CONFIG)):
        return Run(found.parent.resolve())
    text = str(name)
    if names.is_id(text) and (folder.path / text / names.CONFIG).exists():
        return Run(folder.path / text)
    runs = all_runs(folder)
    for matches in (
        [run for run in runs if run.id == text],
        [run for run in runs if run.id.startswith(text)],
        [run for run in runs if not run.problem and run.config.name == text],
    ):
        if len(matches) == 1:
            return matches[0]
        if len(matches) > 1:
            listed = ", ".join(run.id for run in matches[:4])
            raise BadRun(f"{text!r} could be {len(matches)} runs.", way_out=f"Write the whole id: {listed}.")
    raise unknown("run", text, [run.id for run in runs])
