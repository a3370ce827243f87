"""The runs of a folder, and what can be done with one."""

from collections.abc import Callable, Iterable
from pathlib import Path

from workbench.api.places import AnyRun, Folder
from workbench.core.config import RunConfig
from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import BadRun, unknown
from workbench.scheduler import supervision
from workbench.store import lookup
from workbench.store.names import runs_folder
from workbench.store.run import Run


def runs(folder: Folder = None) -> list[Run]:
    """The runs of a folder, newest first. Damaged ones are listed too, with what is wrong in `Run.problem`."""
    place = runs_folder(folder)
    there = lookup.all_runs(place)
    supervision.look_after(place, there)
    return there


def run(name: AnyRun, *, runs: Folder = None) -> Run:
    """One run by id, unique beginning of an id, label, or folder.

    Raises:
        UnknownName: none, with the nearest ids.
        BadRun: several could be meant.
    """
    place = runs_folder(runs)
    try:
        return lookup.find(place, name)
    except OSError:  # longer than a path can be, or not to be looked into
        raise unknown("run", str(name), [one.id for one in lookup.all_runs(place)]) from None


def stop(name: AnyRun, *, runs: Folder = None) -> Run:
    """Ask a run to stop and keep its checkpoint. Answers at once; a queued run is stopped at once.

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
    runs: Folder = None,
) -> Run:
    """Queue a stopped, failed or lost run again; it continues from its last complete checkpoint.

    With `accept`, as in `train`, one that ended before its first step for a warning starts in spite of it. `check` is given
    its configuration first, and raises what speaks against it: the app has its own rule of what may be read.

    Raises:
        BadRun: it is done, live or damaged.
        BadSetting: it would be refused today, as `train` would refuse it.
    """
    from workbench.preflight.acknowledgements import accept_in
    from workbench.scheduler import launch

    found = run(name, runs=runs)
    if check:
        check(found.config)
    if accept:
        accept_in(found, accept)
        found = Run(found.folder)  # its configuration is read once
    return launch.resume(found)


def delete(name: AnyRun, confirm_name: str, *, runs: Folder = None) -> None:
    """Remove a run folder for good. `confirm_name` is its full id; a live run is refused.

    Raises:
        BadRun: the name differs, or the run is live.
    """
    from workbench.scheduler import launch

    launch.delete(run(name, runs=runs), confirm_name)


def export_run(name: AnyRun, file: str | Path, *, runs: Folder = None, weights: bool = True) -> Path:
    """Write a run as one zip with a hash of every file in it; without `weights` no checkpoints and no model.

    Raises:
        BadRun: it is live, or the file exists.
    """
    from workbench.store.archive import pack

    found = run(name, runs=runs)
    if found.live:
        raise BadRun(f"{found.id} is {found.state}.", rule="A live run cannot be exported.", way_out="Stop it first.")
    return pack(found, Path(file), weights=weights)


def import_run(file: str | Path, *, check: Callable[[RunConfig], object] | None = None, runs: Folder = None) -> Run:
    """Read a run that `export_run` wrote; checked for size, paths and hashes before anything is placed.

    `check` is given its configuration, too, see `resume`.

    Raises:
        BadRun: no such archive, damaged, unsafe, or the run is here already.
        BadSetting: its configuration names a path that can be none.
    """
    from workbench.preflight.refusals import check_paths
    from workbench.store.archive import unpack

    def checked(config: RunConfig) -> None:
        check_paths(config)
        if check:
            check(config)

    return unpack(Path(file), runs_folder(runs), checked)


def reindex(folder: Folder = None) -> int:
    """Build the queue's index anew from the run folders; how many runs wait or are worked on.

    Raises:
        BadRun: the folder may not be written.
        Refused: there is no room.
    """
    from workbench.scheduler.queue import Queue

    place = runs_folder(folder)
    with disk_errors_explained():
        count = Queue(place).reindex()
    supervision.look_after(place)
    return count
