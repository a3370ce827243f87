"""Finds the runs of a folder. Kept free of heavy imports, since every list of runs uses it."""

from collections.abc import Collection
from pathlib import Path

from workbench.core import paths
from workbench.core.errors import BadRun, unknown
from workbench.store import names
from workbench.store.names import RunsFolder
from workbench.store.run import Run


def all_runs(folder: RunsFolder, newest: int | None = None, also: Collection[str] = ()) -> list[Run]:
    """The runs of a folder, newest first. Folders with neither a configuration nor events are not runs.

    With `newest` only so many, and those in `also`: each is looked up on the disk, which takes long for a hundred thousand.
    """
    if newest is None:
        folders = folder.run_folders()
    else:  # without a path for each of the others
        every = sorted(folder.run_names(), reverse=True)
        chosen = every[:newest] + [name for name in every[newest:] if name in also]
        folders = [folder.path / name for name in chosen]
    return [Run(path) for path in folders if (path / names.CONFIG).exists() or (path / names.EVENTS).exists()]


def find(folder: RunsFolder, name: str | Path | Run) -> Run:
    """The run that `name` stands for: a run, its folder, its id, a unique beginning of its id, or its label.

    Raises:
        BadRun: several runs match.
        UnknownName: no run matches; the message has the nearest ids.
    """
    if isinstance(name, Run):
        return name
    path = Path(name)
    if len(path.parts) > 1 and (found := paths.existing(path / names.CONFIG)):
        return Run(found.parent.resolve())
    text = str(name)
    if names.is_id(text) and (folder.path / text / names.CONFIG).exists():
        return Run(folder.path / text)
    runs = all_runs(folder)
    for matches in (
        [run for run in runs if run.id == text],
        [run for run in runs if run.id.startswith(text)],
        [run for run in runs if run.name == text],
    ):
        if len(matches) == 1:
            return matches[0]
        if len(matches) > 1:
            listed = ", ".join(run.id for run in matches[:4])
            raise BadRun(f"{text!r} matches {len(matches)} runs.", way_out=f"Write the whole id: {listed}.")
    raise unknown("run", text, [run.id for run in runs])


def folder_of(run: Run) -> RunsFolder:
    """The runs folder that a run is in."""
    return RunsFolder(run.folder.parent)
