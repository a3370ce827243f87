"""The supervisor as a service, and starting it where runs wait."""

from collections.abc import Sequence
from contextlib import suppress

from workbench.core.errors import WorkbenchError
from workbench.processes import service
from workbench.store import events
from workbench.store.listed import is_over
from workbench.store.lookup import all_runs
from workbench.store.names import RunsFolder
from workbench.store.run import Run


def supervisor(folder: RunsFolder) -> service.Service:
    """The process that starts the runs of a folder."""
    return service.Service(folder.jobs, "supervisor", module="workbench.scheduler.supervisor")


def look_after(folder: RunsFolder, runs: Sequence[Run] | None = None) -> None:
    """Start the supervisor if runs are waiting or live: the last one may have been killed.

    Errors are ignored, so that a list of runs can be shown all the same; submitting, resuming and following report them.
    """
    runs = all_runs(folder) if runs is None else runs
    if any(not is_over(run) and run.recorded_status.state in (events.QUEUED, *events.LIVE) for run in runs):
        with suppress(WorkbenchError, OSError):
            supervisor(folder).ensure()
