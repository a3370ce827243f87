"""The states of a run, as recorded by the lines of its events.jsonl."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbench.core.reading import numeric
from workbench.core.writing import append_line
from workbench.store.fitting import read_rows
from workbench.store.names import EVENTS
from workbench.store.shapes import Event

QUEUED, STARTING, RUNNING, STOPPING, SAVING = "queued", "starting", "running", "stopping", "saving"
DONE, STOPPED, FAILED, LOST = "done", "stopped", "failed", "lost"

LIVE = (STARTING, RUNNING, STOPPING, SAVING)
"""States in which a process is, or should be, working on the run."""
ENDED = (DONE, STOPPED, FAILED, LOST)
STOPPABLE = (QUEUED, STARTING, RUNNING)
RESUMABLE = (STOPPED, FAILED, LOST)
REQUEUED = "requeued"
"""The cluster lost the worker and has queued its job again: the same attempt waits again."""
RETRIED = "retried"
"""The worker vanished, or a cluster told it to end, and the run was queued again by itself: the next attempt waits."""
FIRST = "first"
"""The waiting run was put before the others; its state stays."""
SIGNALLED = "Signalled"
"""The kind of a stop that a cluster asked for, not a person."""

FOLLOWS: dict[str, tuple[str, ...]] = {
    QUEUED: ("", *RESUMABLE),
    STARTING: (QUEUED,),
    RUNNING: (STARTING,),
    STOPPING: (QUEUED, STARTING, RUNNING),
    SAVING: (STARTING, RUNNING, STOPPING),
    DONE: (STARTING, RUNNING, STOPPING, SAVING),
    STOPPED: (QUEUED, STARTING, RUNNING, STOPPING, SAVING),
    FAILED: (QUEUED, STARTING, RUNNING, STOPPING, SAVING),
    LOST: LIVE,
}
"""For each state, the states it may follow. Several processes append to the file, so lines in an impossible order are
ignored: a stop requested just as the run ends does not revive it.
"""


_BACK = {REQUEUED: LIVE, RETRIED: (QUEUED, *LIVE, STOPPED)}
"""Events after which a run is queued without a person's doing, and the states that they may follow."""


@dataclass(frozen=True)
class Status:
    """The state of a run, according to its events."""

    state: str = ""
    time: float = 0.0
    """When this state began, seconds since 1970."""
    attempt: int = 0
    who: Mapping[str, object] = field(default_factory=dict)
    """Identity of the worker, see `liveness.identity`."""
    device: str = ""
    kind: str = ""
    """For failures: the class of the error."""
    message: str = ""
    times: dict[str, float] = field(default_factory=dict)
    """When each state of this attempt began."""
    on: str = ""
    """The cluster that it was queued for; empty for this machine."""
    stale_seconds: float = 0.0
    """Seconds without a heartbeat after which its worker there counts as dead."""
    retries: int = 0
    """How many times it was queued again by itself since a person queued it."""
    queue_place: float = 0.0
    """The place in the queue of a waiting run that was put before others; theirs is the time at which they were queued."""
    earlier_seconds: float = 0.0
    """What the starts before this one took; one that was lost, until the last state before that."""

    @property
    def worked_seconds(self) -> float:
        """From the start of the worker to its last known state; 0 before it started."""
        known = [moment for state, moment in self.times.items() if state not in (QUEUED, LOST)]
        return max(0.0, max(known) - self.times[STARTING]) if STARTING in self.times else 0.0


def fold(rows: Sequence[Mapping[str, object]]) -> Status:
    """The status after all events. Lines that are not state changes, or that may not follow, have no effect. Values of
    the wrong type are ignored.

    >>> fold([{"event": "queued", "time": 1.0}, {"event": "starting", "time": 2.0}, {"event": "done", "time": 3.0},
    ...       {"event": "stopping", "time": 3.1}]).state
    'done'
    """
    status = Status()
    for row in rows:
        event = _text(row, "event")
        if event == FIRST and status.state == QUEUED:
            status = replace(status, queue_place=_number(row, "queue_place"))
        if status.state not in FOLLOWS.get(event, ()) and status.state not in _BACK.get(event, ()):
            continue
        state = QUEUED if event in _BACK else event
        moment = _number(row, "time")
        who = row.get("who")
        first, asked = state == QUEUED, event == QUEUED
        status = Status(
            state=state,
            time=moment,
            attempt=status.attempt + (event in (QUEUED, RETRIED)),
            who={} if first else who if who and isinstance(who, dict) else status.who,
            device="" if first else _text(row, "device") or status.device,
            kind=_text(row, "kind"),
            message=_text(row, "message"),
            times={state: moment} if first else {**status.times, state: moment},
            on=_text(row, "on") if asked else status.on,
            stale_seconds=_number(row, "stale_seconds") if asked else status.stale_seconds,
            retries=0 if asked else status.retries + (event == RETRIED),
            earlier_seconds=status.earlier_seconds + (status.worked_seconds if first else 0.0),
        )
    return status


def _number(row: Mapping[str, object], key: str) -> float:
    """The value of `key` if it is a number, otherwise 0."""
    value = row.get(key)
    return float(value) if numeric(value) else 0.0


def _text(row: Mapping[str, object], key: str) -> str:
    """The value of `key` if it is a text, otherwise an empty one."""
    value = row.get(key)
    return value if isinstance(value, str) else ""


def add(folder: Path, event: str, **details: object) -> None:
    """Append one event with the current time."""
    append_line(folder / EVENTS, {"event": event, "time": round(time.time(), 3), **details})


def read(folder: Path) -> list[Event]:
    """All events of a run folder, in order."""
    return list(read_rows(folder / EVENTS, Event))


def status(folder: Path) -> Status:
    """The status of a run folder, according to its events."""
    return fold(read(folder))
