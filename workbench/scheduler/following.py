"""Waiting for a run, from a script or the command line."""

import time
from collections.abc import Callable

from workbench.core.errors import BadRun, as_error
from workbench.scheduler import launch, supervision
from workbench.store import events, lookup
from workbench.store.run import Run


def follow_run(run: Run, follow: Callable[[Run], None] | None = None, *, every_seconds: float = 0.4) -> Run:
    """The run when it has ended. An interrupt asks it to stop and goes on waiting; a second one leaves it to itself.

    Raises:
        WorkbenchError: it failed or was lost; the message is the run's own.
        Refused: nobody works on it, see `Service.check_may_work`.
    """
    asked = False
    supervisor = supervision.supervisor(lookup.folder_of(run))
    while True:
        try:
            state = run.state
            if follow is not None:
                follow(run)
            if state in events.ENDED or not state:
                break
            supervisor.check_may_work()
            supervisor.ensure()  # whatever ended the last one
            time.sleep(every_seconds)
        except KeyboardInterrupt:
            if asked:
                raise
            asked = True
            if run.state not in events.ENDED:
                launch.stop(run)
    if failure := run.failure:
        raise as_error(*failure) if failure[0] != "Lost" else BadRun(f"{run.id} was lost.", reason=failure[1])
    return run
