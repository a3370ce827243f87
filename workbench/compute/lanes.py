"""Which request is computed next, and which one makes way for others."""

import queue
import threading
import time
from collections.abc import Collection
from types import TracebackType
from typing import TypedDict

from workbench.core.undivided import is_undivided

BEGUN = 4
"""Slow requests that may have begun. One of them computes; the others keep what they have, and wait for their turn."""
QUICK_SECONDS = 10.0
"""How long a slow request waits for quick ones, and how long it then goes on before it waits again."""
LOOK_SECONDS = 0.02


class Row(TypedDict):
    """A request as the table has it, or a task (`imports`, `warm`), with its name as key and no arguments."""

    verb: str
    key: str
    arguments: str


class ModelLock:
    """A lock that knows whether this thread holds it, and may be taken again by the thread that does."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._thread = threading.local()

    @property
    def held(self) -> bool:
        """Whether this thread holds it."""
        return bool(getattr(self._thread, "depth", 0))

    def __enter__(self) -> None:
        self._lock.acquire()
        self._thread.depth = getattr(self._thread, "depth", 0) + 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._thread.depth -= 1
        self._lock.release()


class Lane:
    """Requests, computed one after the other."""

    threads = 1

    def __init__(self) -> None:
        self._rows: queue.Queue[Row] = queue.Queue()

    @property
    def busy(self) -> bool:
        """Whether requests wait or are being computed."""
        return self._rows.unfinished_tasks > 0

    def put(self, row: Row) -> None:
        """Add a request."""
        self._rows.put(row)

    def take(self) -> Row:
        """The next request, as soon as there is one."""
        return self._rows.get()

    def done(self, key: str) -> None:
        """The request has ended."""
        self._rows.task_done()


class TurnLane(Lane):
    """Requests of which one computes at a time. Its turn passes to another one when it ends or makes way.

    Several threads share it: each takes a request, and has it make way between its steps. It is not for quick requests, of which
    a page makes several about the same texts: the first one encodes them, the next ones find the vectors.
    """

    threads = BEGUN

    def __init__(self, quick: Lane) -> None:
        """All requests wait while `quick` is busy."""
        self._quick = quick
        self._changed = threading.Condition()
        self._open: dict[str, Row] = {}
        self._begun: set[str] = set()
        self._turn: str | None = None
        self._aside: Collection[str] = frozenset()
        self._withdrawn: Collection[str] = frozenset()
        self._undisturbed = 0.0
        """Until when the request goes on beside quick ones."""

    @property
    def busy(self) -> bool:
        """Whether requests wait or are being computed."""
        return bool(self._open)

    def put(self, row: Row) -> None:
        """Add a request."""
        with self._changed:
            self._open[row["key"]] = row
            self._pass(self._turn or self._next())

    def note(self, *, aside: Collection[str], withdrawn: Collection[str]) -> None:
        """Note the keys of those requests that no page shows at present, and of those that nobody waits for any more."""
        with self._changed:
            if (aside, withdrawn) != (self._aside, self._withdrawn):
                self._aside, self._withdrawn = aside, withdrawn
                self._changed.notify_all()

    def take(self) -> Row:
        """The request to begin, as soon as it is its turn."""
        with self._changed:
            self._changed.wait_for(lambda: self._turn is not None and self._turn not in self._begun)
            assert self._turn is not None
            self._begun.add(self._turn)
            return self._open[self._turn]

    def done(self, key: str) -> None:
        """The request has ended."""
        with self._changed:
            self._open.pop(key, None)
            self._begun.discard(key)
            if self._turn == key:
                self._turn = None
                self._pass(self._next())

    def make_way(self, key: str) -> None:
        """Between two steps of a request: wait until the quick lane is not busy and it is its turn.

        Returns at once if it is withdrawn, or is none of this lane. Callers hold no lock of the models.
        """
        with self._changed:
            if key not in self._begun:
                return
        self._wait_for_quick(key)
        if is_undivided():  # whoever went first might need what it holds
            return
        with self._changed:
            if self._turn == key:
                self._pass(self._next())
            self._changed.wait_for(lambda: self._turn == key or key in self._withdrawn)

    def _wait_for_quick(self, key: str) -> None:
        until = time.monotonic() + QUICK_SECONDS
        while self._quick.busy and key not in self._withdrawn:
            time.sleep(LOOK_SECONDS)  # at least so long, in which a quick one gets the lock
            if time.monotonic() < self._undisturbed:
                return
            if time.monotonic() > until:  # there are always some: it takes turns with them
                self._undisturbed = time.monotonic() + QUICK_SECONDS

    def _next(self) -> str | None:
        """Whose turn it should be: of those shown the one that has it, then those that began, then the oldest."""
        may = [key for key in self._open if key in self._begun or len(self._begun) < BEGUN]
        shown = self._turn if self._turn not in self._aside else None
        return min(may, key=lambda key: (key in self._aside, key != shown, key not in self._begun), default=None)

    def _pass(self, key: str | None) -> None:
        if key != self._turn:
            self._turn = key
            self._changed.notify_all()
