"""Waiting for a run, in a script or on the command line."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress

from workbench.core.errors import BadRun, WorkbenchError, as_error
from workbench.scheduler import launch, supervision
from workbench.scheduler.clusters import cluster
from workbench.scheduler.queue import Queue
from workbench.store import events, lookup
from workbench.store.run import Run


def has_ended(run: Run) -> bool:
    """Whether a run has ended, and nothing becomes of it unless a person resumes it.

    A run on a cluster whose worker vanished, or was asked to end, has not as long as a supervisor is there that has not decided
    yet whether it is queued again. That takes a while, and longer where the cluster does not answer.
    """
    if run.state not in ("", *events.ENDED):
        return False
    recorded = run.recorded_status  # without a guess at whether its worker is alive
    if recorded.state == events.QUEUED:  # in this moment
        return False
    if not recorded.on:
        return True
    undecided = _is_named(recorded.on) if recorded.state in events.LIVE else _may_return(run, recorded)
    return not (undecided and supervision.supervisor(lookup.folder_of(run)).alive())


def _is_named(name: str) -> bool:
    """Whether there still is such a cluster: of a job on another one nothing will be known."""
    with suppress(WorkbenchError):
        return bool(cluster(name))
    return False


def _may_return(run: Run, status: events.Status) -> bool:
    """Whether a run that its cluster asked to end still has the row in the queue which the supervisor removes otherwise."""
    if status.kind == events.SIGNALLED and (lookup.folder_of(run).jobs / "queue.sqlite").exists():
        with suppress(OSError, sqlite3.Error):
            return Queue(lookup.folder_of(run)).holds(run.id)
    return False


def follow_run(run: Run, follow: Callable[[Run], None] | None = None, *, every_seconds: float = 0.4) -> Run:
    """Wait until the run has ended, and return it. An interrupt stops it and waits on; a second one stops waiting.

    Raises:
        WorkbenchError: it failed or was lost; the message is the run's own.
        Refused: no supervisor may be started, see `Service.check_may_work`.
    """
    stopping = False
    supervisor = supervision.supervisor(lookup.folder_of(run))
    while True:
        try:
            ended = has_ended(run)
            if follow is not None:
                follow(run)
            if ended:
                break
            if stopping and run.state in events.STOPPABLE:  # it was queued again since
                with suppress(BadRun):
                    launch.stop(run)
            supervisor.check_may_work()
            supervisor.ensure()  # the last one may have ended
            time.sleep(every_seconds)
        except KeyboardInterrupt:
            if stopping:
                raise
            stopping = True
            if run.state not in events.ENDED:
                launch.stop(run)
    if failure := run.failure:
        raise as_error(*failure) if failure[0] != "Lost" else BadRun(f"{run.id} was lost.", reason=failure[1])
    return run
