"""Where a run is in the queue, and when it will start."""

from collections.abc import Sequence

from workbench import api
from workbench.core.errors import WorkbenchError
from workbench.scheduler.clusters import cluster
from workbench.scheduler.queue import Queue
from workbench.store import events
from workbench.store.lookup import folder_of
from workbench.ui.kit.words import count, estimated

SOON_SECONDS = 10
"""Shorter waits are not given in seconds: evaluating the run ahead, after its last step, takes a while too."""


def queued_words(run: api.Run) -> str:
    """The position of a queued run, when it should start and how long it should take, as far as that is known."""
    ahead = api.ahead(run)
    on = run.recorded_status.on
    if on:
        try:
            cluster(on)
        except WorkbenchError as error:
            return f"Queued: nothing is known of its cluster. {error}"
    free = f"the cluster {on} has room for it" if on else "a device is free"
    place = f"Queued, {count(len(ahead))} ahead." if ahead else f"Queued: it starts as soon as {free}."
    wait, own = None if on else _seconds(ahead), None if run.problem else api.expected_seconds([run.config])
    when = "" if not ahead or wait is None else f"in about {estimated(wait)}" if wait >= SOON_SECONDS else "soon"
    when = when and f" It should start {when}."
    long = f" It should take about {estimated(own)}." if own else ""
    return f"{place}{when}{long}"


def cluster_is_gone(run: api.Run) -> bool:
    """Whether a run was sent to a cluster that is not known any more."""
    try:
        return bool(on := run.recorded_status.on) and not cluster(on)
    except WorkbenchError:
        return True


def waits_for_others(run: api.Run) -> bool:
    """Whether a run is queued behind others that wait too, and not only behind those whose turn has come: on a cluster these may
    be queued still, but there.
    """
    last = api.ahead(run)[-1:]  # those that wait come after the others
    return bool(last) and last[0].id in Queue(folder_of(run)).waiting()


def _seconds(runs: Sequence[api.Run]) -> float | None:
    """Seconds until the runs have ended, one after the other; None if that is not known of one of them."""
    total = 0.0
    for run in runs:
        if run.problem:
            return None
        left = run.progress.seconds_left if run.state in events.LIVE else api.expected_seconds([run.config])
        if left is None:
            return None
        total += left
    return total
