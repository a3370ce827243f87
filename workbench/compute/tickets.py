"""Requests to the compute process, made without waiting: requests are rows of a table, answers are folders. No torch here."""

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import ComputeFailed, as_error
from workbench.core.json_values import Json
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
CREATE TABLE IF NOT EXISTS aside (id INTEGER PRIMARY KEY);
"""
"""`aside` has the slow requests whose pages show something else at present: others come first."""

POLL_SECONDS = 0.02
LOOK_SECONDS = 0.1
"""How long the open requests are cached. Sixty sessions that wait for five answers each poll 600 times a second."""


AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True)
class Answer(Generic[AnswerT]):
    """The state of a request."""

    state: str
    """queued, running, done, failed or cancelled."""
    progress: float = 0.0
    """0 to 1."""
    result: AnswerT | None = None
    error: str = ""
    """The message of a failed request."""
    kind: str = ""
    """Of the error: a class name in core/errors.py, or ComputeFailed."""
    note: str = ""
    """What is being done, for people."""

    @property
    def over(self) -> bool:
        """Whether the state is final."""
        return self.state in ("done", "failed", "cancelled")


_GONE: Answer[Any] = Answer("failed", error="The stored answer is gone. Ask again.", kind="ComputeFailed")


@dataclass(frozen=True)
class Ticket(Generic[AnswerT]):
    """A request that was made. Plain data, so that a session can hold it."""

    runs: str
    verb: str
    key: str
    number: int
    """The row of the request; 0 if the answer was stored already."""
    kind: type | None = field(default=None, compare=False)
    """The dataclass of the answer, if it is one."""
    quick: bool = field(default=True, compare=False)
    """Whether it is in the lane of quick answers, so that nothing much is lost if it is withdrawn and made again."""

    @property
    def answer_folder(self) -> Path:
        """The folder of the answer, which exists once it is computed."""
        return RunsFolder(Path(self.runs)).cache / self.key

    @disk_errors_explained()
    def poll(self, *, load: bool = True) -> Answer[AnswerT]:
        """The state of the request, with its result if it is done and `load` is set. Never waits.

        Raises:
            WorkbenchError: the runs folder cannot be used.
        """
        if results.has(self.answer_folder):
            try:
                return Answer("done", 1.0, results.load(self.answer_folder, self.kind) if load else None)
            except (OSError, ValueError):  # pruned in the meantime, or damaged
                return _GONE
        folder = RunsFolder(Path(self.runs))
        open_requests = _open_requests(folder)
        if (row := open_requests.rows.get(self.number)) is not None:
            if open_requests.error:
                return Answer("failed", row["progress"], error=open_requests.error, kind="ComputeFailed")
            return Answer(row["state"], row["progress"], note=row["note"])
        found = requests(folder).rows("SELECT * FROM requests WHERE id = ?", (self.number,))
        if not found:
            return Answer("failed", error="The request is unknown. Ask again.", kind="ComputeFailed")
        row = found[0]
        if row["state"] in ("queued", "running"):
            return Answer(row["state"], row["progress"], note=row["note"])
        if row["state"] == "failed":
            reply = json.loads(row["error"])
            return Answer("failed", row["progress"], error=reply["message"], kind=reply["kind"])
        if row["state"] == "done":
            return self.poll(load=load) if results.has(self.answer_folder) else _GONE
        return Answer("cancelled", row["progress"])

    def wait(
        self, timeout_seconds: float | None = None, follow: Callable[[Answer[Any]], None] | None = None
    ) -> AnswerT:
        """Wait for the result. `follow` is called with each state. An interrupt cancels the request.

        Raises:
            WorkbenchError: the error of the compute process.
            ComputeFailed: the request was cancelled, or took longer than `timeout_seconds`.
        """
        began, pause = time.monotonic(), POLL_SECONDS / 2
        try:
            while True:
                answer = self.poll()
                if answer.state == "done":
                    return cast(AnswerT, answer.result)  # which may be None
                if answer.state == "failed":
                    raise as_error(answer.kind, answer.error)
                if answer.state == "cancelled":
                    raise ComputeFailed("The request was cancelled.")
                compute(RunsFolder(Path(self.runs))).check_may_work()
                if follow is not None:
                    follow(answer)
                if timeout_seconds is not None and time.monotonic() - began > timeout_seconds:
                    log = RunsFolder(Path(self.runs)).jobs / "compute.log"
                    raise ComputeFailed(
                        f"There was no answer within {timeout_seconds:g} s.", way_out=f"The log is {log}."
                    )
                time.sleep(pause)
                pause = min(0.25, pause * 1.1)
        except KeyboardInterrupt:
            self.cancel()
            raise

    @disk_errors_explained()
    def cancel(self) -> None:
        """Cancel the request, unless it is answered."""
        with requests(RunsFolder(Path(self.runs))).write() as connection:
            connection.execute(
                "UPDATE requests SET state = 'cancelled', ended = ? WHERE id = ? AND state IN ('queued', 'running')",
                (time.time(), self.number),
            )
        _drop_cached(self.runs)

    @disk_errors_explained()
    def set_aside(self) -> None:
        """Let others come first until the same session asks the same again."""
        with requests(RunsFolder(Path(self.runs))).write() as connection:
            connection.execute("INSERT OR IGNORE INTO aside (id) VALUES (?)", (self.number,))


def requests(folder: RunsFolder) -> Database:
    """The table of requests of a runs folder."""
    return Database(folder.jobs / "requests.sqlite", _SCHEMA)


def compute(folder: RunsFolder) -> Service:
    """The compute process of a runs folder, as a service."""
    return Service(folder.jobs, "compute", module="workbench.compute.process")


@dataclass(frozen=True)
class _Open:
    """The open requests of a runs folder, as they were a moment ago."""

    rows: dict[int, sqlite3.Row] = field(default_factory=dict)
    error: str = ""
    """Why the compute process cannot be started; empty if it runs."""
    until: float = 0.0


_OPEN: dict[str, _Open] = {}
_OPEN_LOCK = threading.Lock()


def _open_requests(folder: RunsFolder) -> _Open:
    """The open requests, read once for all sessions of this process that poll within `LOOK_SECONDS`."""
    with _OPEN_LOCK:
        known = _OPEN.get(str(folder.path), _Open())
        if time.monotonic() >= known.until:
            rows = requests(folder).rows("SELECT * FROM requests WHERE state IN ('queued', 'running')")
            error = _ensure(folder) if rows else ""
            known = _Open({row["id"]: row for row in rows}, error, time.monotonic() + LOOK_SECONDS)
            _OPEN[str(folder.path)] = known
        return known


def _drop_cached(runs: str) -> None:
    """Drop the cached open requests, which this process has changed."""
    with _OPEN_LOCK:
        _OPEN.pop(runs, None)


def _ensure(folder: RunsFolder) -> str:
    """Make sure that the compute process runs. If it cannot be started, all open requests fail with the message returned."""
    try:
        compute(folder).ensure()
    except CannotStart as error:
        reply = json.dumps({"kind": "ComputeFailed", "message": str(error)})
        with requests(folder).write() as connection:
            connection.execute(
                "UPDATE requests SET state = 'failed', error = ?, ended = ? WHERE state IN ('queued', 'running')",
                (reply, time.time()),
            )
        return str(error)
    return ""


_SELECT_OPEN = (
    "SELECT requests.id, key, aside.id IS NOT NULL AS aside FROM requests LEFT JOIN aside USING (id) "
    "WHERE session = ? AND slot = ? AND state IN ('queued', 'running')"
)


@disk_errors_explained()
def ask(
    folder: RunsFolder,
    verb: str,
    arguments: Mapping[str, Json],
    *,
    key: str,
    lane: str,
    kind: type | None = None,
    session: str = "",
    slot: str = "",
) -> Ticket[Any]:
    """Make a request, and make sure that the compute process runs. A stored answer needs no request.

    An earlier request of the same session and slot with another key is cancelled.

    Raises:
        WorkbenchError: the runs folder cannot be used, or its compute process runs other code.
    """

    def ticket(number: int) -> Ticket[Any]:
        return Ticket(str(folder.path), verb, key, number, kind, quick=lane == "fast")

    reap()
    known = results.has(folder.cache / key)
    if known and not session:
        return ticket(0)
    if not known:
        compute(folder).check_code()
    slot = slot or verb
    if session:  # mostly there is nothing to write, and writers wait for each other
        mine = requests(folder).rows(_SELECT_OPEN, (session, slot))
        if known and all(row["key"] == key for row in mine):
            return ticket(0)
        if not known and len(mine) == 1 and mine[0]["key"] == key and not mine[0]["aside"]:
            return ticket(int(mine[0]["id"]))
    with requests(folder).write() as connection:
        if session:
            connection.execute(
                "UPDATE requests SET state = 'cancelled', ended = ? "
                "WHERE session = ? AND slot = ? AND key != ? AND state IN ('queued', 'running')",
                (time.time(), session, slot, key),
            )
        if known:
            return ticket(0)
        same = connection.execute(_SELECT_OPEN, (session, slot)).fetchone()
        if same and session:  # a page that is drawn again makes the same request again
            number = int(same["id"])
            connection.execute("DELETE FROM aside WHERE id = ?", (number,))
        else:
            number = int(
                connection.execute(
                    "INSERT INTO requests (verb, key, lane, arguments, session, slot, state, added) "
                    "VALUES (?, ?, ?, ?, ?, ?, 'queued', ?)",
                    (verb, key, lane, json.dumps(arguments), session, slot, time.time()),
                ).lastrowid
                or 0
            )
    _drop_cached(str(folder.path))
    _ensure(folder)
    return ticket(number)
