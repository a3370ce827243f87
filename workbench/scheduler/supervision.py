"""The supervisor as a service, and starting it where runs wait."""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress

from workbench.core.errors import WorkbenchError
from workbench.processes import service
from workbench.scheduler.queue import Queue
from workbench.store import events
from workbench.store.listed import is_over
from workbench.store.lookup import all_runs
from workbench.store.names import RunsFolder, check_owner
from workbench.store.run import Run

_LOOKED_AT = 100
"""How many of the newest runs are looked at besides the queue."""


def supervisor(folder: RunsFolder) -> service.Service:
    """The process that starts the runs of a folder."""
    return service.Service(folder.jobs, "supervisor", module="workbench.scheduler.supervisor")


def look_after(folder: RunsFolder, runs: Sequence[Run] | None = None) -> None:
    """Start the supervisor if runs are waiting or live: the last one may have been killed.

    Errors are ignored, so that a list of runs can be shown all the same; submitting, resuming and following report them.
    """
    with suppress(WorkbenchError, OSError, sqlite3.Error):
        check_owner(folder)  # whose supervisor it is to be, whoever lists the runs
        if _has_work(folder, all_runs(folder, _LOOKED_AT) if runs is None else runs[:_LOOKED_AT]):
            supervisor(folder).ensure()


def _has_work(folder: RunsFolder, newest: Sequence[Run]) -> bool:
    """By the queue, which is an index that may be damaged or lack a row, and by the newest runs themselves."""
    if (folder.jobs / "queue.sqlite").exists() and Queue(folder).has_rows():
        return True
    return any(not is_over(run) and run.recorded_status.state in (events.QUEUED, *events.LIVE) for run in newest)
