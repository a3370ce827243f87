"""Which request is computed next, and which one makes way for others."""

import math
import queue
import threading
import time
from collections import deque
from collections.abc import Collection
from types import TracebackType
from typing import TypedDict

from workbench.core.undivided import is_undivided

BEGUN = 4
"""Slow requests that may have begun. One of them computes; the others keep what they have, and wait for their turn."""
QUICK_BEGUN = 12
"""Quick requests that may have begun: a page with a large encoder makes several that take long."""
PATIENCE_SECONDS = 3.0
"""How long a request that should be quick may take before others come first: with a large encoder it can take a minute."""
QUICK_SECONDS = 10.0
"""How long a slow request waits for quick ones, unless all of these take long too, and how long it then goes on before it waits
again.
"""
LOOK_SECONDS = 0.02


class Row(TypedDict):
    """A request as the table has it, or a task (`imports`, `warm`), with its name as key and no arguments."""

    verb: str
    key: str
    arguments: str
    target: str
    """The encoder that it is about; empty for none, and for several."""


class ModelLock:
    """A lock that goes to whoever waits for it longest, and that the thread that holds it may take again.

    Python's own goes on with a thread that lets it go and takes it at once, such as one that encodes thousands of texts.
    """

    def __init__(self) -> None:
        self._taken = False
        self._waiting: deque[threading.Lock] = deque()
        self._guard = threading.Lock()
        self._thread = threading.local()

    @property
    def held(self) -> bool:
        """Whether this thread holds it."""
        return bool(getattr(self._thread, "depth", 0))

    def __enter__(self) -> None:
        if not self.held:
            self._take()
        self._thread.depth = getattr(self._thread, "depth", 0) + 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._thread.depth -= 1
        if not self._thread.depth:
            self._let_go()

    def _take(self) -> None:
        with self._guard:
            if not self._taken:
                self._taken = True
                return
            mine = threading.Lock()
            mine.acquire()
            self._waiting.append(mine)
        try:
            mine.acquire()  # until it is handed over
        except BaseException:  # Ctrl-C
            with self._guard:
                waited = mine in self._waiting
                if waited:
                    self._waiting.remove(mine)
            if not waited:
                self._let_go()
            raise

    def _let_go(self) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._taken = False


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

    Several threads share it: each takes a request, and has it make way between its steps, for those that are not behind others.
    Behind others are those that no page shows, and those that take longer than `patience` seconds, with all others about the same
    encoder. What they encoded until then is not lost: whoever computes goes on with it, see `ModelCache.making`.
    """

    def __init__(self, *, begun: int = BEGUN, patience: float = math.inf, quick: "TurnLane | None" = None) -> None:
        """At most `begun` requests begin before one of them ends. All wait while `quick` is busy."""
        self.threads, self._patience, self._quick = begun, patience, quick
        self._changed = threading.Condition()
        self._open: dict[str, Row] = {}
        self._begun: set[str] = set()
        self._turn: str | None = None
        self._since = 0.0
        """When that turn began."""
        self._long: set[str] = set()
        self._aside: Collection[str] = frozenset()
        self._withdrawn: Collection[str] = frozenset()
        self._undisturbed = 0.0
        """Until when the request goes on beside quick ones."""

    @property
    def busy(self) -> bool:
        """Whether requests wait or are being computed."""
        return bool(self._open)

    @property
    def pressing(self) -> bool:
        """Whether one of its requests may be quick."""
        with self._changed:
            return not self._open.keys() <= self._behind()

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
            self._since = time.monotonic()
            return self._open[self._turn]

    def done(self, key: str) -> None:
        """The request has ended."""
        with self._changed:
            self._open.pop(key, None)
            self._begun.discard(key)
            self._long.discard(key)
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
                if time.monotonic() - self._since > self._patience:
                    self._long.add(key)
                self._pass(self._next())
            self._changed.wait_for(lambda: self._turn == key or key in self._withdrawn)

    def _wait_for_quick(self, key: str) -> None:
        began = time.monotonic()
        while self._quick and self._quick.busy and key not in self._withdrawn:
            now = time.monotonic()
            if now < self._undisturbed:
                return
            # There are always some: it takes turns with them.
            if now - began > (QUICK_SECONDS if self._quick.pressing else PATIENCE_SECONDS):
                self._undisturbed = now + QUICK_SECONDS
            time.sleep(LOOK_SECONDS)

    def _next(self) -> str | None:
        """Whose turn it should be: that of the one that has it, if it is not behind others; then those that began; then the
        oldest.
        """
        behind = self._behind()
        may = [key for key in self._open if key in self._begun or len(self._begun) < self.threads]
        ahead = self._turn if self._turn not in behind else None
        return min(may, key=lambda key: (key in behind, key != ahead, key not in self._begun), default=None)

    def _behind(self) -> set[str]:
        slow = {self._open[key]["target"] for key in self._long} - {""}
        return {*self._aside, *self._long, *(key for key, row in self._open.items() if row["target"] in slow)}

    def _pass(self, key: str | None) -> None:
        if key != self._turn:
            self._turn, self._since = key, time.monotonic()
            self._changed.notify_all()
