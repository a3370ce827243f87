"""Asking the compute process without waiting for it: requests are rows, answers are folders. No torch here."""

import json
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import ComputeFailed, as_error
from workbench.processes.service import CannotStart, Service, reap
from workbench.processes.sqlite import Database
from workbench.store import results
from workbench.store.names import RunsFolder

_SCHEMA = """
CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    verb TEXT NOT NULL,
    key TEXT NOT NULL,
    lane TEXT NOT NULL,
    arguments TEXT NOT NULL,
    session TEXT NOT NULL,
    slot TEXT NOT NULL,
    state TEXT NOT NULL,
    progress REAL NOT NULL DEFAULT 0,
    note TEXT NOT NULL DEFAULT '',
    error TEXT NOT NULL DEFAULT '',
    tries INTEGER NOT NULL DEFAULT 0,
    added REAL NOT NULL,
    ended REAL
);
CREATE INDEX IF NOT EXISTS open ON requests (state) WHERE state IN ('queued', 'running');
"""

POLL_SECONDS = 0.02
LOOK_SECONDS = 0.1
"""So old may what is known of open requests be. Sixty sessions that wait for five answers each look 600 times a second."""


AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True)
class Answer(Generic[AnswerT]):
    """What is known about a request now."""

    state: str
    """queued, running, done, failed or cancelled."""
    progress: float = 0.0
    """0 to 1."""
    result: AnswerT | None = None
    error: str = ""
    """One plain message of a failed request."""
    kind: str = ""
    """Of the error: a class name in core/errors.py, or ComputeFailed."""
    note: str = ""
    """What is being done, in words."""

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.state in ("done", "failed", "cancelled")


@dataclass(frozen=True)
class Ticket(Generic[AnswerT]):
    """A request that was made. Plain data: it can lie in a session."""

    runs: str
    verb: str
    key: str
    number: int
    """0 where the answer was there already."""
    kind: type | None = field(default=None, compare=False)
    """The dataclass of the answer, if it is one."""

    @property
    def place(self) -> Path:
        """Where the answer is, once there is one."""
        return RunsFolder(Path(self.runs)).cache / self.key

    @disk_errors_explained()
    def poll(self, *, load: bool = True) -> Answer[AnswerT]:
        """The answer as far as it is known; never waits for it. Without `load` a done answer brings no result.

        Raises:
            WorkbenchError: the runs folder cannot be used.
        """
        if results.has(self.place):
            try:
                return Answer("done", 1.0, results.load(self.place, self.kind) if load else None)
            except (OSError, ValueError):  # swept away meanwhile, or damaged: ask again
                return Answer("failed", error="The stored answer is gone. Ask again.", kind="ComputeFailed")
        folder = RunsFolder(Path(self.runs))
        waiting = _waiting(folder)
        if (row := waiting.rows.get(self.number)) is not None:
            if waiting.refused:
                return Answer("failed", row["progress"], error=waiting.refused, kind="ComputeFailed")
            return Answer(row["state"], row["progress"], note=row["note"])
        with requests(folder).read() as connection:
            row = connection.execute("SELECT * FROM requests WHERE id = ?", (self.number,)).fetchone()
        if row is None:
            return Answer("failed", error="The request is unknown. Ask again.", kind="ComputeFailed")
        if row["state"] in ("queued", "running"):
            return Answer(row["state"], row["progress"], note=row["note"])
        if row["state"] == "failed":
            said = json.loads(row["error"])
            return Answer("failed", row["progress"], error=said["message"], kind=said["kind"])
        if row["state"] == "done":
            return Answer("running", 1.0) if not results.has(self.place) else self.poll(load=load)
        return Answer("cancelled", row["progress"])

    def wait(
        self, timeout_seconds: float | None = None, follow: Callable[[Answer[Any]], None] | None = None
    ) -> AnswerT:
        """The result. An interrupt takes the request back.

        Raises:
            WorkbenchError: what the compute process said, or that it took too long.
        """
        began, pause = time.monotonic(), POLL_SECONDS / 2
        try:
            while True:
                answer = self.poll()
                if answer.state == "done":
                    return answer.result  # type: ignore[return-value]
                if answer.state == "failed":
                    raise as_error(answer.kind, answer.error)
                if answer.state == "cancelled":
                    raise ComputeFailed("The request was taken back.")
                compute(RunsFolder(Path(self.runs))).check_may_work()
                if follow is not None:
                    follow(answer)
                if timeout_seconds is not None and time.monotonic() - began > timeout_seconds:
                    raise ComputeFailed(
                        f"There was no answer within {timeout_seconds:g} s.", way_out="See compute.log."
                    )
                time.sleep(pause)
                pause = min(0.25, pause * 1.1)
        except KeyboardInterrupt:
            self.cancel()
            raise

    @disk_errors_explained()
    def cancel(self) -> None:
        """Take the request back, unless it is answered."""
        with requests(RunsFolder(Path(self.runs))).write() as connection:
            connection.execute(
                "UPDATE requests SET state = 'cancelled', ended = ? WHERE id = ? AND state IN ('queued', 'running')",
                (time.time(), self.number),
            )
        _look_again(self.runs)


def requests(folder: RunsFolder) -> Database:
    """The table of requests of a runs folder."""
    return Database(folder.jobs / "requests.sqlite", _SCHEMA)


def compute(folder: RunsFolder) -> Service:
    """The warm process that answers."""
    return Service(folder.jobs, "compute", module="workbench.compute.process")


@dataclass(frozen=True)
class _Waiting:
    """The open requests of a runs folder, as they were a moment ago."""

    rows: dict[int, sqlite3.Row] = field(default_factory=dict)
    refused: str = ""
    """Why nobody answers them."""
    until: float = 0.0


_WAITING: dict[str, _Waiting] = {}
_LOOKING = threading.Lock()


def _waiting(folder: RunsFolder) -> _Waiting:
    """The open requests, read once for all sessions of this process that look at about the same time."""
    with _LOOKING:
        known = _WAITING.get(str(folder.path), _Waiting())
        if time.monotonic() >= known.until:
            with requests(folder).read() as connection:
                rows = connection.execute("SELECT * FROM requests WHERE state IN ('queued', 'running')").fetchall()
            refused = _see_to(folder) if rows else ""
            known = _Waiting({row["id"]: row for row in rows}, refused, time.monotonic() + LOOK_SECONDS)
            _WAITING[str(folder.path)] = known
        return known


def _look_again(runs: str) -> None:
    """Forget what was known: this process has changed it."""
    with _LOOKING:
        _WAITING.pop(runs, None)


def _see_to(folder: RunsFolder) -> str:
    """Have somebody answer. If nobody can, all that wait are told why, and so are you."""
    try:
        compute(folder).ensure()
    except CannotStart as error:
        said = json.dumps({"kind": "ComputeFailed", "message": str(error)})
        with requests(folder).write() as connection:
            connection.execute(
                "UPDATE requests SET state = 'failed', error = ?, ended = ? WHERE state IN ('queued', 'running')",
                (said, time.time()),
            )
        return str(error)
    return ""


_OPEN_ONES = "SELECT id, key FROM requests WHERE session = ? AND slot = ? AND state IN ('queued', 'running')"


@disk_errors_explained()
def ask(
    folder: RunsFolder,
    verb: str,
    arguments: dict[str, Any],
    *,
    key: str,
    lane: str,
    kind: type | None = None,
    session: str = "",
    slot: str = "",
) -> Ticket[Any]:
    """Write a request and see to it that somebody answers. A stored answer needs no request.

    What the same session asked before for the same slot is taken back.

    Raises:
        WorkbenchError: the runs folder cannot be used.
    """
    reap()
    known = results.has(folder.cache / key)
    if known and not session:
        return Ticket(str(folder.path), verb, key, 0, kind)
    slot = slot or verb
    if session:  # mostly there is nothing to write, and who writes waits for all others who do
        with requests(folder).read() as connection:
            open_ones = connection.execute(_OPEN_ONES, (session, slot)).fetchall()
        if known and all(row["key"] == key for row in open_ones):
            return Ticket(str(folder.path), verb, key, 0, kind)
        if not known and len(open_ones) == 1 and open_ones[0]["key"] == key:
            return Ticket(str(folder.path), verb, key, int(open_ones[0]["id"]), kind)
    with requests(folder).write() as connection:
        if session:
            connection.execute(
                "UPDATE requests SET state = 'cancelled', ended = ? "
                "WHERE session = ? AND slot = ? AND key != ? AND state IN ('queued', 'running')",
                (time.time(), session, slot, key),
            )
        if known:
            return Ticket(str(folder.path), verb, key, 0, kind)
        mine = connection.execute(_OPEN_ONES, (session, slot)).fetchone()
        if mine and session:  # a page that was drawn again asks the same again
            number = int(mine["id"])
        else:
            number = int(
                connection.execute(
                    "INSERT INTO requests (verb, key, lane, arguments, session, slot, state, added) "
                    "VALUES (?, ?, ?, ?, ?, ?, 'queued', ?)",
                    (verb, key, lane, json.dumps(arguments), session, slot, time.time()),
                ).lastrowid
                or 0
            )
    _look_again(str(folder.path))
    _see_to(folder)
    return Ticket(str(folder.path), verb, key, number, kind)
