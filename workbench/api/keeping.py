"""The runs of a folder: list, look up, stop, resume, rename, tag, delete, export and import."""

import sqlite3
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.api.places import AnyRun, Folder
from workbench.core.config import RunConfig
from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import BadRun, BadSetting, unknown
from workbench.core.paths import check_writable
from workbench.scheduler import supervision
from workbench.store import annotations, events, listed, lookup, searching
from workbench.store.annotations import Annotations, checked_tags
from workbench.store.names import RunsFolder, runs_folder, runs_place
from workbench.store.run import Run

if TYPE_CHECKING:
    from workbench.scheduler.queue import Queue

_FEW = 20
"""How many of the runs that are being worked on are listed where those that wait are not."""


def runs(
    folder: Folder = None,
    *,
    newest: int | None = None,
    also: Collection[str] = (),
    search: str = "",
    waiting: bool = True,
) -> list[Run]:
    """The runs of a folder, newest first. Damaged ones are listed too, with what is wrong in `Run.problem`.

    With `newest` only so many, those that are being worked on, and those whose ids are in `also`; with `search` only those
    in which each of its words occurs, as the filter of the page Runs finds them: in name, id, state, recipe, backbone, corpus,
    tags or note of the newest, and in the ids of older ones. Where the queue cannot be read, as of an archive that is shared
    or on a read-only disk, they are listed without it. Without `waiting` none that waits in the queue, and of those that
    are being worked on the first few: thousands in the queue do not hide what has ended. Reading each of a hundred thousand
    runs takes minutes. Use `run` for one run by name; `sweeps` for grids and tournaments as wholes.
    """
    place = runs_place(folder)
    without = set[str]()
    if newest is not None and not search:
        # An archive that is shared or on a read-only disk is listed all the same: the run folders say what is in it.
        with suppress(OSError, sqlite3.Error):
            if queue := _queue(place):
                claimed = queue.claimed()
                if waiting:
                    also = {*also, *claimed}
                else:
                    without = {*queue.waiting(), *claimed[_FEW:]}
    there = lookup.all_runs(place, newest, also, without)
    if search:
        there = searching.search(place, there, search)[0][:newest]
    supervision.look_after(place, there)
    return there


def run(name: AnyRun, *, runs: Folder = None) -> Run:
    """One run by id, unique beginning or end of an id, label, or folder.

    Raises:
        UnknownName: there is no such run; the message has the nearest ids.
        BadRun: the name is ambiguous, or its folder may not be read.
    """
    place = runs_place(runs)
    try:
        return lookup.find(place, name)
    except PermissionError as error:
        raise BadRun(
            f"The run {str(name)!r} cannot be read.",
            got=error.strerror or "",
            way_out="Run this as an account that may read it.",
        ) from None
    except OSError:  # longer than a path may be
        raise unknown("run", str(name), place.newest_names()) from None


def ahead(name: AnyRun, *, runs: Folder = None) -> list[Run]:
    """The runs that are worked on, or will be, before a queued run, in order; empty for a run that is not waiting, and where the
    queue cannot be read.

    Where several devices are free, a run may start although others ahead of it are still training.
    """
    there = run(name, runs=runs)
    place = lookup.folder_of(there)
    if there.state == events.QUEUED:
        with suppress(OSError, sqlite3.Error):
            if queue := _queue(place):
                return [Run(place.path / run_id) for run_id in queue.ahead(there.id) if (place.path / run_id).is_dir()]
    return []


def _queue(folder: RunsFolder) -> "Queue | None":
    """The queue of a runs folder, if it has one: reading creates none."""
    from workbench.scheduler.queue import Queue

    queue = Queue(folder)
    return queue if queue.database.path.exists() else None


def run_next(name: AnyRun, *, runs: Folder = None) -> Run:
    """Put a queued run before all others that wait for the same cluster, or for this machine; those that are being worked on
    go on. Of two that were put first, the later one is. `ahead` has what is left before it.

    Raises:
        BadRun: it is not waiting in the queue.
    """
    from workbench.scheduler import launch

    return launch.run_next(run(name, runs=runs))


def stop(name: AnyRun, *, runs: Folder = None) -> Run:
    """Ask a run to stop and keep its checkpoint; returns at once. A queued run is stopped immediately.

    `resume` continues it later; `delete` is for a run that you no longer need. `stop_sweep` stops those of a grid or tournament.

    Raises:
        BadRun: it is neither waiting nor running.
    """
    from workbench.scheduler import launch

    return launch.stop(run(name, runs=runs))


def resume(
    name: AnyRun,
    *,
    accept: bool | str | Iterable[str] = False,
    check: Callable[[RunConfig], object] | None = None,
    on: str | None = None,
    runs: Folder = None,
) -> Run:
    """Queue a stopped, failed or lost run again; it continues from its last complete checkpoint.

    `accept`, as in `train`, starts a run that ended before its first step because of a warning. `check` is called with its
    configuration first and raises if it must not run: the app uses it to restrict which files may be read. `on`, as in
    `train`, moves it to a cluster, or with `local` to this machine; by default it stays where it was.

    To train further from a finished run use `train(..., after=RUN)`, which makes a new run.

    Raises:
        BadRun: the run is done, live or damaged.
        BadSetting: `train` would refuse its configuration now.
    """
    from workbench.preflight.acknowledgements import accept_in
    from workbench.scheduler import launch

    found = run(name, runs=runs)
    if check:
        check(found.config)
    if accept:
        accept_in(found, accept)
        found = Run(found.folder)  # its configuration is read once
    return launch.resume(found, on)


def delete(name: AnyRun, confirm_name: str, *, runs: Folder = None) -> int:
    """Delete a run folder permanently and return the bytes that this freed. `confirm_name` is its full id; a live run is
    refused. `export_run` makes a copy first.

    Raises:
        BadRun: the name differs, or the run is live.
    """
    from workbench.scheduler import launch

    return launch.delete(run(name, runs=runs), confirm_name)


def rename(name: AnyRun, new_name: str, *, runs: Folder = None) -> Run:
    """Give a run another name; an empty one restores that of its configuration. Its id and its folder stay.

    Raises:
        BadSetting: the name is too long, or has a comma.
    """
    there = run(name, runs=runs)
    return _annotate(there, replace(there.annotations, name=" ".join(new_name.split())))


def tag(name: AnyRun, *tags: str, runs: Folder = None) -> Run:
    """Add tags to a run, by which lists can be filtered. `untag` removes them.

    Raises:
        BadSetting: a tag is too long, or there are too many.
    """
    there = run(name, runs=runs)
    return _annotate(there, replace(there.annotations, tags=(*there.annotations.tags, *checked_tags(tags))))


def untag(name: AnyRun, *tags: str, runs: Folder = None) -> Run:
    """Remove tags from a run. Those that it does not have are ignored."""
    there, removed = run(name, runs=runs), checked_tags(tags)
    left = tuple(tag for tag in there.annotations.tags if tag not in removed)
    return _annotate(there, replace(there.annotations, tags=left))


def note(name: AnyRun, text: str, *, runs: Folder = None) -> Run:
    """Write a note on a run, in place of the one it has; an empty one removes it.

    Raises:
        BadSetting: the note is too long.
    """
    there = run(name, runs=runs)
    return _annotate(there, replace(there.annotations, note=text))


def _annotate(run: Run, written: Annotations) -> Run:
    annotations.write(run.folder, written)
    listed.forget(run)
    return run


def export_run(name: AnyRun, file: str | Path, *, runs: Folder = None, weights: bool = True) -> Path:
    """Write a run to a zip file, with a hash of every file in it, and return the path; `weights=False` leaves out checkpoints
    and model.

    Use it to move a run to another machine, where `import_run` reads it; `export_recipe` exports only the settings. The file has
    paths of this account in it: those of backbone, corpus and pairs, in the run's settings and log.

    Raises:
        BadRun: the run is live, or the file exists.
        BadSetting: the file does not end with .zip, or its folder does not exist.
    """
    from workbench.store.archive import pack

    found = run(name, runs=runs)
    if found.live:
        raise BadRun(f"{found.id} is {found.state}.", rule="A live run cannot be exported.", way_out="Stop it first.")
    path = check_writable(file)
    if path.suffix.lower() != ".zip":
        raise BadSetting(
            f"A run cannot be exported as {path.name!r}.",
            rule="It is written as a zip file.",
            way_out=f"Name it {path.with_suffix('.zip').name}.",
        )
    return pack(found, path, weights=weights)


def import_run(file: str | Path, *, check: Callable[[RunConfig], object] | None = None, runs: Folder = None) -> Run:
    """Unpack a run that `export_run` wrote and return it; sizes, paths and hashes are checked before anything is written.

    `check` is called with its configuration, as in `resume`.

    Raises:
        BadRun: there is no such archive, it is damaged or unsafe, or the run exists already.
        BadSetting: its configuration names something that cannot be a path.
    """
    from workbench.preflight.refusals import check_paths
    from workbench.store.archive import unpack

    def checked(config: RunConfig) -> None:
        check_paths(config)
        if check:
            check(config)

    return unpack(Path(file), runs_folder(runs), checked)


def import_runs(
    file: str | Path, *, check: Callable[[RunConfig], object] | None = None, runs: Folder = None
) -> list[Run]:
    """Unpack every run of a file: the zip of a report, the `runs.zip` in it, or an archive that `export_run` wrote.

    Every archive's hash is checked before anything is written, so that of a damaged file nothing is imported. Prefer `import_run`
    for an archive of one run.

    Raises:
        BadRun: as `import_run`.
    """
    from workbench.preflight.refusals import check_paths
    from workbench.store.bundle import is_bundle, unbundle

    def checked(config: RunConfig) -> None:
        check_paths(config)
        if check:
            check(config)

    path = Path(file)
    if not is_bundle(path):
        return [import_run(path, check=check, runs=runs)]
    return unbundle(path, runs_folder(runs), checked)


def reindex(folder: Folder = None) -> int:
    """Rebuild the queue's index from the run folders and return how many runs are waiting or running.

    Needed only after run folders were copied or removed by other programs.

    Raises:
        BadRun: there is no permission to write the folder.
        Refused: the disk is full.
    """
    from workbench.scheduler.queue import Queue

    place = runs_folder(folder)
    with disk_errors_explained():
        count = Queue(place).reindex()
    supervision.look_after(place)
    return count
