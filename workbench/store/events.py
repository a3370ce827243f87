"""The states of a run, told by the lines of its events.jsonl."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.core.reading import numeric
from workbench.core.writing import append_line
from workbench.store.names import EVENTS
from workbench.store.shapes import Event, read_rows

QUEUED, STARTING, RUNNING, STOPPING, SAVING = "queued", "starting", "running", "stopping", "saving"
DONE, STOPPED, FAILED, LOST = "done", "stopped", "failed", "lost"

LIVE = (STARTING, RUNNING, STOPPING, SAVING)
"""A process is, or should be, working on it."""
ENDED = (DONE, STOPPED, FAILED, LOST)
RESUMABLE = (STOPPED, FAILED, LOST)

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
"""Which states a state may follow. Several processes append to one file; a line that may not follow is passed over,
so that a stop asked for in the moment of the end does not wake the run again."""


@dataclass(frozen=True)
class Status:
    """Where a run is, as its events tell it."""

    state: str = ""
    time: float = 0.0
    """When this state began, seconds since 1970."""
    attempt: int = 0
    who: Mapping[str, object] = field(default_factory=dict)
    """Identity of the worker, see `liveness.identity`."""
    device: str = ""
    kind: str = ""
    """Of a failure: the class of the error."""
    message: str = ""
    times: dict[str, float] = field(default_factory=dict)
    """When each state of this attempt began."""


def fold(rows: Sequence[Mapping[str, object]]) -> Status:
    """The status after all events. Lines that are not state changes, or may not follow, change nothing; what is not a text or
    no number in one is as if it were not there.

    >>> fold([{"event": "queued", "time": 1.0}, {"event": "starting", "time": 2.0}, {"event": "done", "time": 3.0},
    ...       {"event": "stopping", "time": 3.1}]).state
    'done'
    """
    status = Status()
    for row in rows:
        state = _text(row, "event")
        if status.state not in FOLLOWS.get(state, ()):
            continue
        when = row.get("time")
        moment = float(when) if numeric(when) else 0.0
        who = row.get("who")
        first = state == QUEUED
        status = Status(
            state=state,
            time=moment,
            attempt=status.attempt + first,
            who={} if first else who if who and isinstance(who, dict) else status.who,
            device="" if first else _text(row, "device") or status.device,
            kind=_text(row, "kind"),
            message=_text(row, "message"),
            times={state: moment} if first else {**status.times, state: moment},
        )
    return status


def _text(row: Mapping[str, object], key: str) -> str:
    """What a row says, as far as it is a text."""
    value = row.get(key)
    return value if isinstance(value, str) else ""


def add(folder: Path, event: str, **details: object) -> None:
    """Append one event, with the time."""
    append_line(folder / EVENTS, {"event": event, "time": round(time.time(), 3), **details})


def read(folder: Path) -> list[Event]:
    """All events of a run folder, in order."""
    return list(read_rows(folder / EVENTS, Event))


def status(folder: Path) -> Status:
    """The status that the events of a run folder tell."""
    return fold(read(folder))
