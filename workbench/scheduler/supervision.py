"""The process that starts the runs of a folder, and whether anything waits for it."""

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
    """Runs that wait need a supervisor: whoever looks sees to it, should the last one have been killed.

    What cannot be started is no reason to show nothing: whoever submits, resumes or follows is told.
    """
    runs = all_runs(folder) if runs is None else runs
    if any(not is_over(run) and run.recorded_status.state in (events.QUEUED, *events.LIVE) for run in runs):
        with suppress(WorkbenchError, OSError):
            supervisor(folder).ensure()
