"""Waiting for a run, in a script or on the command line."""

import time
from collections.abc import Callable

from workbench.core.errors import BadRun, as_error
from workbench.scheduler import launch, supervision
from workbench.store import events, lookup
from workbench.store.run import Run


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
            state = run.state
            if follow is not None:
                follow(run)
            if state in events.ENDED or not state:
                break
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
