"""Operations on runs, for pages, the command line and scripts: submit, stop, resume, delete."""

import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from workbench.core.config import Corpus, RunConfig
from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import BadRun, BadSetting, UnknownName, WorkbenchError
from workbench.core.private import make_folder
from workbench.data.pairs import load_pairs
from workbench.data.references import absolute
from workbench.preflight.corpora import with_corpus
from workbench.preflight.refusals import refusal
from workbench.recipes.fits import wanted
from workbench.scheduler.clusters import chosen, cluster, gone
from workbench.scheduler.queue import Queue, wish
from workbench.scheduler.supervision import supervisor
from workbench.store import events, leftovers
from workbench.store.create import create
from workbench.store.environment import packages_named
from workbench.store.lookup import folder_of
from workbench.store.names import RunsFolder, check_id, check_owner
from workbench.store.run import Run
from workbench.training.batches import check_rows, in_steps


def submit(folder: RunsFolder, config: RunConfig, on: str = "") -> Run:
    """Queue a new run, and make sure that a supervisor is there to start it; see `submit_all`."""
    return submit_all(folder, [config], on=on)[0]


def submit_all(
    folder: RunsFolder, configs: Sequence[RunConfig], noted: Callable[[Run], object] | None = None, *, on: str = ""
) -> list[Run]:
    """Queue new runs, and make sure that a supervisor is there to start them. All are checked before the first is queued.

    `on` is the cluster that they are for, by its name in clusters.toml; empty or `local` for this machine.

    A corpus whose hash is not in the configuration is read now, once for all runs that use it alike, unless it is on the
    Hub: one which cannot be read, or lacks what the recipe needs, is refused before it waits. The worker checks the texts
    against a hash in the configuration. `noted` is called with each run as soon as it exists.

    Raises:
        NotAccepted: a warning that must be accepted was not, as far as can be told from the configurations alone.
        WorkbenchError: a corpus cannot be read, lacks something, or does not fill a batch; a set of pairs that does not
            exist; see also `refusals`.
    """
    from workbench.preflight.acknowledgements import check, lacking_of

    supervisor(folder).check_code()
    on, where = _where(on)
    known: dict[tuple[object, ...], Corpus] = {}
    settled, read = [], set[str]()
    for config in map(absolute, configs):
        if reason := refusal(config):
            raise BadSetting(reason)
        for ref in dict.fromkeys([config.probe.pairs, *config.selection.scored, *config.evaluation.pairs]):
            if ref.startswith("demo:") and ref not in read:
                load_pairs(ref)
                read.add(ref)
        taken = (config.corpus, *map(frozenset, wanted(config.terms)))
        if taken not in known:
            known[taken] = with_corpus(config).corpus
        if known[taken].rows and not config.pretrains:
            check_rows(known[taken].rows, config.training.batch_size)
        settled.append(in_steps(replace(config, corpus=known[taken])))
    check(lacking_of(settled))
    runs = []
    with disk_errors_explained():
        for config in settled:
            run = create(folder, config, **where)
            try:
                Queue(folder).add(run.id, wish(config.training.device, config.training.processes, on))
            except (OSError, sqlite3.Error):
                _remove(run)  # the caller will not learn of it
                raise
            runs.append(run)
            if noted:
                noted(run)
        supervisor(folder).ensure()
    return runs


def _where(on: str) -> tuple[str, dict[str, object]]:
    """The cluster as it is recorded, and what the event says of it.

    Raises:
        UnknownName, BadSetting: there is no such cluster, or their file is wrong.
    """
    if on := chosen(on):
        return on, {"on": on, "stale_seconds": cluster(on).stale_seconds}
    return "", {}


@disk_errors_explained()
def stop(run: Run) -> Run:
    """Ask a run to stop. Returns at once; the worker notices within one sub-forward and saves a checkpoint.

    Raises:
        BadRun: it is neither waiting nor running, or its folder is of another account.
        Refused: the disk is full.
    """
    check_owner(folder_of(run))
    status = run.status
    if status.state == events.QUEUED:
        waited = False
        with suppress(sqlite3.Error):  # the supervisor reads the folder too
            waited = Queue(folder_of(run)).remove(run.id, "queued")
        if waited:
            events.add(run.folder, events.STOPPED, message="Taken out of the queue before it started.")
        else:  # claimed this moment: its worker reads this first
            events.add(run.folder, events.STOPPING)
    elif status.state in (events.STARTING, events.RUNNING):
        events.add(run.folder, events.STOPPING)
    elif status.state not in (events.STOPPING, events.SAVING, events.STOPPED):
        raise BadRun(
            f"{run.id} cannot be stopped: it is {status.state or 'not a run'}.",
            rule="Only waiting and running runs can.",
        )
    return run


def stop_all(runs: Iterable[Run]) -> dict[str, WorkbenchError]:
    """Stop several runs, those that wait first: otherwise each that ends hands its place to one of them.

    Returns:
        Why a run could not be stopped, by its id; the others are stopped all the same.
    """
    refused = {}
    for run in sorted(runs, key=lambda run: run.state != events.QUEUED):
        try:
            stop(run)
        except WorkbenchError as error:
            refused[run.id] = error
    return refused


@disk_errors_explained()
def resume(run: Run, on: str | None = None) -> Run:
    """Queue an ended run again. It continues from its last complete checkpoint, or from the start if it has none.

    `on` is the cluster that it is for, as in `submit_all`; by default where it was.

    Raises:
        BadRun: it is done, still live, or damaged, or its folder is of another account.
        BadSetting: its configuration was edited and is no longer valid, or would be refused today, see `refusals`.
        UnknownName: its cluster is not in clusters.toml any more.
        Refused: the disk is full; the run stays as it was.
    """
    folder = folder_of(run)
    check_owner(folder)
    config, status = run.config, run.status
    if status.state not in events.RESUMABLE:
        raise BadRun(
            f"{run.id} cannot be resumed: it is {status.state or 'without events'}.",
            rule=f"Only a {', '.join(events.RESUMABLE[:-1])} or {events.RESUMABLE[-1]} run can.",
        )
    with packages_named(run.environment):
        if reason := refusal(config):
            raise BadSetting(reason)
    supervisor(folder).check_code()
    queue = Queue(folder)
    try:
        on, where = _where(status.on if on is None else on)
    except UnknownName:
        if on is None:
            raise gone(status.on) from None
        raise
    wanted = wish(config.training.device, config.training.processes, on)
    queue.add(run.id, wanted, again=True)  # first: this may be refused
    try:
        if run.recorded_status.state in events.LIVE:  # lost, but not recorded as such yet
            events.add(run.folder, events.LOST, message=status.message)
        events.add(run.folder, events.QUEUED, **where)
    except OSError:
        with suppress(sqlite3.Error):
            queue.remove(run.id, "queued")
        raise
    # Once more: a supervisor that looked before the event was written has removed the row.
    with suppress(OSError, sqlite3.Error):
        queue.add(run.id, wanted)
    supervisor(folder).ensure()
    return run


@disk_errors_explained()
def run_next(run: Run) -> Run:
    """Put a waiting run before the others that wait for the same cluster, or for this machine.

    Raises:
        BadRun: it is not waiting, or its folder is of another account.
        Refused: the disk is full.
    """
    check_owner(folder_of(run))
    state = run.state
    place = Queue(folder_of(run)).first(run.id) if state == events.QUEUED else None
    if place is None:
        why = "its turn has come" if state == events.QUEUED else f"it is {state or 'not a run'}"
        raise BadRun(f"{run.id} cannot be put first: {why}.", rule="Only waiting runs can.")
    events.add(run.folder, events.FIRST, queue_place=place)  # from which a lost index is rebuilt
    return run


@disk_errors_explained()
def delete(run: Run, confirm_name: str) -> int:
    """Delete a run permanently; the bytes that this freed. Of a folder that is a link only the link is removed.

    Raises:
        BadRun: `confirm_name` is not its id, it is live, a second stage needs it, its files cannot be removed, or its folder is
            of another account.
    """
    check_id(run.id)
    check_owner(folder_of(run))
    if confirm_name != run.id:
        raise BadRun(
            f"{confirm_name!r} is not the run's id.", rule="Deletion asks for the whole id.", way_out=f"It is {run.id}."
        )
    if run.live:
        raise BadRun(f"{run.id} is {run.state}.", rule="A live run is never deleted.", way_out="Stop it first.")
    from workbench.store.stages import followers

    if later := followers(run):
        raise BadRun(
            f"{run.id} cannot be deleted: {', '.join(stage.id for stage in later[:3])} started from its model.",
            rule="A second stage loads the model of the first.",
            way_out="Delete the second stage first.",
        )
    with suppress(OSError, sqlite3.Error):  # a row without a folder is skipped
        Queue(folder_of(run)).remove(run.id)
    freed = 0 if run.folder.is_symlink() else run.size_bytes["total"]
    _remove(run)
    return freed


def _remove(run: Run) -> None:
    """Remove the folder of a run, and its files in `.jobs`."""
    folder = folder_of(run)
    if run.folder.is_symlink():
        with suppress(OSError):
            run.folder.unlink()
    grave = folder.jobs / f"deleted-{run.id}-{time.time_ns()}"
    try:
        make_folder(folder.jobs)
        run.folder.rename(grave)  # it disappears at once, even if removing its files takes a while
    except OSError:  # the disk is full even for a rename
        grave = run.folder
    shutil.rmtree(grave, ignore_errors=True)
    if run.folder.exists():
        raise BadRun(f"{run.folder} cannot be removed.", way_out="Check its permissions.")
    leftovers.forget(folder, run.id)
