"""What page, command line and scripts do with runs: submit, find, stop, resume, delete."""

import shutil
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from workbench.core.config import Corpus, RunConfig
from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import BadRun, BadSetting
from workbench.core.private import make_folder
from workbench.data.pairs import load_pairs
from workbench.data.references import absolute
from workbench.preflight.corpora import with_corpus
from workbench.preflight.refusals import refusal
from workbench.recipes.fits import wanted
from workbench.scheduler.queue import Queue, wish
from workbench.scheduler.supervision import supervisor
from workbench.store import events, leftovers
from workbench.store.create import create
from workbench.store.lookup import folder_of
from workbench.store.names import RunsFolder, check_id
from workbench.store.run import Run
from workbench.training.batches import check_rows, in_steps


def submit(folder: RunsFolder, config: RunConfig) -> Run:
    """A new run in the queue, and a supervisor that will start it; see `submit_all`."""
    return submit_all(folder, [config])[0]


def submit_all(
    folder: RunsFolder, configs: Sequence[RunConfig], noted: Callable[[Run], object] | None = None
) -> list[Run]:
    """New runs in the queue, and a supervisor that will start them. All are checked before the first is queued.

    A corpus whose hash is not in the configuration is read now, once for all runs that take the same of it, unless it is
    on the Hub: what cannot be read, or lacks what the recipe needs, is refused before it waits. The worker holds a hash that
    is there to the texts. `noted` is called with each run as soon as it exists.

    Raises:
        NotAccepted: a warning that must be accepted was not, as far as the configurations alone tell.
        WorkbenchError: a corpus cannot be read, lacks something, or does not fill a batch; a set of pairs that does not
            exist; see also `refusals`.
    """
    from workbench.preflight.acknowledgements import check, lacking_of

    known: dict[tuple[object, ...], Corpus] = {}
    settled = []
    for config in map(absolute, configs):
        if reason := refusal(config):
            raise BadSetting(reason)
        for ref in dict.fromkeys([config.probe.pairs, *config.selection.scored, *config.evaluation.pairs]):
            if ref.startswith("demo:"):
                load_pairs(ref)
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
            run = create(folder, config)
            try:
                Queue(folder).add(run.id, wish(config.training.device, config.training.processes))
            except (OSError, sqlite3.Error):
                _remove(run)  # nobody is told that it is there
                raise
            runs.append(run)
            if noted:
                noted(run)
        supervisor(folder).ensure()
    return runs


@disk_errors_explained()
def stop(run: Run) -> Run:
    """Ask for the end. Answers at once; the worker sees it within one sub-forward and keeps a checkpoint.

    Raises:
        BadRun: it is not running and not waiting.
        Refused: there is no room to write it down.
    """
    status = run.status
    if status.state == events.QUEUED:
        waited = False
        with suppress(sqlite3.Error):  # the supervisor reads the folder, too
            waited = Queue(folder_of(run)).remove(run.id, "queued")
        if waited:
            events.add(run.folder, events.STOPPED, message="Taken out of the queue before it started.")
        else:  # claimed this moment: its worker reads this first
            events.add(run.folder, events.STOPPING)
    elif status.state in (events.STARTING, events.RUNNING):
        events.add(run.folder, events.STOPPING)
    elif status.state not in (events.STOPPING, events.SAVING, events.STOPPED):
        raise BadRun(
            f"{run.id} cannot be stopped: it is {status.state or 'no run'}.", rule="Only waiting and running runs can."
        )
    return run


@disk_errors_explained()
def resume(run: Run) -> Run:
    """Queue an ended run again; it goes on from its last complete checkpoint, or from the start if it has none.

    Raises:
        BadRun: it is done, still live, or damaged.
        BadSetting: its configuration was changed into something that is none, or would be refused today, see `refusals`.
        Refused: there is no room; it stays as it was.
    """
    config, status = run.config, run.status
    if status.state not in events.RESUMABLE:
        raise BadRun(
            f"{run.id} cannot be resumed: it is {status.state or 'without events'}.",
            rule=f"Only a {', '.join(events.RESUMABLE[:-1])} or {events.RESUMABLE[-1]} run can.",
        )
    if reason := refusal(config):
        raise BadSetting(reason)
    folder = folder_of(run)
    queue = Queue(folder)
    queue.add(run.id, wish(config.training.device, config.training.processes), again=True)  # first: this may be refused
    try:
        if run.recorded_status.state in events.LIVE:  # lost, but nobody wrote it down yet
            events.add(run.folder, events.LOST, message=status.message)
        events.add(run.folder, events.QUEUED)
    except OSError:
        with suppress(sqlite3.Error):
            queue.remove(run.id, "queued")
        raise
    supervisor(folder).ensure()
    return run


@disk_errors_explained()
def delete(run: Run, confirm_name: str) -> None:
    """Remove a run for good.

    Raises:
        BadRun: the name is not its id, or it is live, or its files cannot be removed.
    """
    check_id(run.id)
    if confirm_name != run.id:
        raise BadRun(
            f"{confirm_name!r} is not the run's id.", rule="Deleting asks for the whole id.", way_out=f"It is {run.id}."
        )
    if run.live:
        raise BadRun(f"{run.id} is {run.state}.", rule="A live run is never deleted.", way_out="Stop it first.")
    from workbench.store.stages import followers

    if later := followers(run):
        raise BadRun(
            f"{run.id} cannot be deleted: {', '.join(one.id for one in later[:3])} went on from its model.",
            rule="A second stage is loaded by way of the first.",
            way_out="Delete the second stage first.",
        )
    with suppress(OSError, sqlite3.Error):  # a row without a folder is passed over
        Queue(folder_of(run)).remove(run.id)
    _remove(run)


def _remove(run: Run) -> None:
    """Remove a run's folder, and what `.jobs` holds of it."""
    folder = folder_of(run)
    grave = folder.jobs / f"deleted-{run.id}-{time.time_ns()}"
    try:
        make_folder(folder.jobs)
        run.folder.rename(grave)  # gone at once, even if removing its files takes a while
    except OSError:  # no room even for another name
        grave = run.folder
    shutil.rmtree(grave, ignore_errors=True)
    if run.folder.exists():
        raise BadRun(f"{run.folder} cannot be removed.", way_out="See to it that it may be written.")
    leftovers.forget(folder, run.id)
