"""The supervisor of a runs folder: starts queued runs, one per device, and notices workers that died.

It has no state that cannot be restored from the run folders: if it is killed, its successor takes over. Its memory is
reconciled with the folders and the queue every few seconds, so that a failed write is simply repeated.
"""

import signal
import sqlite3
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from workbench.core import device
from workbench.core.writing import is_disk_full
from workbench.processes import liveness, service
from workbench.scheduler import supervision
from workbench.scheduler.queue import Queue
from workbench.scheduler.spares import Spare
from workbench.store import events, leftovers, names
from workbench.store.environment import known_devices
from workbench.store.names import RunsFolder
from workbench.store.run import Run

TICK_SECONDS = 0.2
IDLE_SECONDS = 600.0
RECONCILE_SECONDS = 2.0
FORCE_SECONDS = 30.0
"""How long a run may take to stop before its process is killed. Saving may take as long as it needs."""
PAUSE_SECONDS = 5.0
"""A longer pause between two rounds does not count: this process, and perhaps the machine, was suspended."""
START_SECONDS = 10.0
"""How long a claimed run may have no sign of a worker, where that worker is not a child but one of a predecessor."""


@dataclass
class Supervisor:
    """The state of the supervisor of one runs folder, see `main`."""

    folder: RunsFolder
    children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    """The attempt that each child works on: a run may be queued again before its last process has ended."""
    devices: dict[str, str] = field(default_factory=dict)
    """The slot of each live run: its devices, joined by spaces."""
    beats: dict[tuple[str, int], tuple[float, float]] = field(default_factory=dict)
    """The last heartbeat of each run and attempt, and when it was seen, by `now`."""
    since: dict[tuple[str, int, str], float] = field(default_factory=dict)
    """When an attempt at a run was first seen in a state that must not last, by `now`."""
    troubles: dict[str, str] = field(default_factory=dict)
    """The last disk error of each run, as logged: the write is repeated each round, the message is not."""
    now: float = 0.0
    """Seconds that this process has been running: unaffected by changes of the clock and by sleep of the machine."""
    reconciled: float = float("-inf")

    def __post_init__(self) -> None:
        self.queue = Queue(self.folder)
        self.spare = Spare(self.folder)
        self._looked = time.monotonic()

    def tick(self) -> bool:
        """One round; whether a run is live or waiting."""
        moment = time.monotonic()
        self.now, self._looked = self.now + min(moment - self._looked, PAUSE_SECONDS), moment
        self.reap()
        if self.now - self.reconciled > RECONCILE_SECONDS:
            self.reconciled = self.now
            self.reconcile()
        while claimed := self.queue.claim(self.slot_of):
            with self.apart(claimed[0]):
                self.start(*claimed)
        return bool(self.devices or self.queue.waiting())

    @contextmanager
    def blamed(self, run: str) -> Iterator[None]:
        """An error while handling a run fails that run; disk errors, which are not its fault, pass through."""
        try:
            yield
        except (OSError, sqlite3.Error):
            raise
        except Exception as error:
            self.fail(run, error)

    @contextmanager
    def apart(self, run: str) -> Iterator[None]:
        """See `blamed`. A disk error with one run does not hold up the others: it is logged once, and the write is repeated
        in a later round.
        """
        try:
            with self.blamed(run):
                yield
        except (OSError, sqlite3.Error) as error:
            message = f"{run}: {type(error).__name__}: {error}"
            if self.troubles.get(run) != message:
                self.troubles[run] = message
                print(message, file=sys.stderr, flush=True)

    def fail(self, run: str, error: Exception) -> None:
        """Record why a run cannot be handled. Its row is removed when the folders are next checked."""
        traceback.print_exception(error)
        sys.stderr.flush()
        kind, message = type(error).__name__, str(error) or "There is no message. See the log of the supervisor."
        events.add(self.folder.path / run, events.FAILED, kind=kind, message=message)

    def slot_of(self, run: str, wish: str) -> str:
        """See `slot`; an error fails the run."""
        with self.blamed(run):
            return self.slot(run, wish)
        return ""

    def slot(self, run: str, wish: str) -> str:
        """Free devices for the wish of a run, or an empty text; see `queue`.

        The devices of the machine are known once a process with torch has recorded them; until then a run with the device
        `auto` runs alone. A wish for more devices than there are is an error that the run itself reports.
        """
        if run in self.children:  # the process of the previous attempt
            return ""
        known = known_devices(self.folder.cache)
        busy = {name for place in self.devices.values() for name in place.split()}
        wishes = ["cuda:0" if name == "cuda" else name for name in wish.split()] or ["auto"]
        if "auto" in busy or (busy and not known and "auto" in wishes):
            return ""
        cards = [name for name in known if name.startswith("cuda")]
        free = [name for name in cards or known[:1] or ["auto"] if name not in busy]
        first = next(iter(free), "") if wishes[0] == "auto" else wishes[0]
        if not first or first in busy:
            return ""
        if len(wishes) > len(cards):
            return first
        others = [name for name in free if name != first][: len(wishes) - 1]
        return " ".join([first, *others]) if len(others) == len(wishes) - 1 else ""

    def start(self, run: str, slot: str) -> None:
        """Start the worker of a claimed run."""
        folder = self.folder.path / run
        status = Run(folder).recorded_status
        if not folder.is_dir() or status.state not in (events.QUEUED, events.STOPPING):
            self.queue.remove(run, "claimed")
            return
        try:
            threads = Run(folder).config.training.threads or None
            heartbeat = Run(folder).heartbeat
            heartbeat.parent.mkdir(parents=True, exist_ok=True)
            heartbeat.touch()
            arguments, log = [str(folder), "--device", slot], folder / names.LOG
            self.children[run] = self.spare.take(arguments, log=log, threads=threads) or service.spawn(
                "workbench.runs.worker", *arguments, log=log, threads=threads
            )
            self.devices[run], self.attempts[run] = slot, status.attempt
        except Exception as error:
            if is_disk_full(error):  # not the fault of the run: it waits until there is room
                raise
            self.fail(run, error)
            self.queue.remove(run, "claimed")

    def reap(self) -> None:
        """Collect ended workers and record how they ended, if they did not. A child is forgotten once that is on disk."""
        for run, process in list(self.children.items()):
            code = process.poll()
            if code is None:
                continue
            self.devices.pop(run, None)
            with self.apart(run):
                self.settle(run, code)
                del self.children[run]

    def settle(self, run: str, code: int | None = None) -> None:
        """Record the end of a run whose worker is gone, unless it was queued again since."""
        folder = self.folder.path / run
        status = Run(folder).recorded_status
        if status.attempt == self.attempts.get(run, status.attempt):
            if status.state in events.LIVE and liveness.lives(status.who):
                return  # another worker has the run; it was adopted
            if status.state == events.QUEUED and code is not None:
                message = "Its process ended before it could report why. See its log."
                events.add(folder, events.FAILED, kind="NotStarted", message=message)
            elif status.state in events.LIVE:
                events.add(folder, events.LOST, message=_how(code))
                leftovers.sweep_run(folder)
        self.forget(run)

    def forget(self, run: str) -> None:
        """Release the devices and the row of a run. The rest is forgotten at the next `reconcile`."""
        self.devices.pop(run, None)
        self.queue.remove(run, "claimed")

    def lasts(self, run: str, attempt: int, state: str) -> float:
        """Seconds since this attempt at the run was first seen in this state."""
        return self.now - self.since.setdefault((run, attempt, state), self.now)

    def reconcile(self) -> None:
        """Compare the index with the folders: adopt live workers, record dead ones, and kill those that do not stop."""
        self.queue.complete()
        claimed, waiting = self.queue.claimed(), self.queue.waiting()
        worked_on = {*claimed, *self.children}
        self.devices = {run: device for run, device in self.devices.items() if run in worked_on}
        self.attempts = {run: attempt for run, attempt in self.attempts.items() if run in self.children}
        self.beats = {key: beat for key, beat in self.beats.items() if key[0] in worked_on}
        self.since = {key: moment for key, moment in self.since.items() if key[0] in worked_on}
        self.troubles = {run: text for run, text in self.troubles.items() if run in worked_on or run in waiting}
        for run in claimed:
            with self.apart(run):
                self.look_at(run)
        for run in waiting:
            with self.apart(run):
                self.look_at_waiting(run)

    def look_at(self, run: str) -> None:
        """Check a claimed run."""
        folder = self.folder.path / run
        status = Run(folder).recorded_status
        if status.state in events.ENDED or not folder.is_dir():
            if run not in self.children:
                self.forget(run)
        elif status.state == events.QUEUED or not status.who:
            self.wait_for(run, status)
        else:
            self.watch(run, folder, status)

    def look_at_waiting(self, run: str) -> None:
        """Check a queued run."""
        status = Run(self.folder.path / run).recorded_status
        if status.state == events.STOPPING and not status.who:  # it was stopped, but its row could not be removed
            events.add(self.folder.path / run, events.STOPPED, message="Stopped before it started.")
        if status.state != events.QUEUED:
            self.queue.remove(run, "queued")

    def wait_for(self, run: str, status: events.Status) -> None:
        """A claimed run without a worker: ours is starting, or the predecessor of this process died in between."""
        if run in self.children:
            return
        if status.state == events.STOPPING:
            events.add(self.folder.path / run, events.STOPPED, message="Stopped before it started.")
            self.forget(run)
            return
        if self.lasts(run, status.attempt, "claimed") > START_SECONDS:
            self.queue.back(run)
            self.since.pop((run, status.attempt, "claimed"))

    def watch(self, run: str, folder: Path, status: events.Status) -> None:
        """Check a run whose worker should be alive."""
        here = status.who.get("machine") == liveness.machine()
        gone = here and not liveness.lives(status.who)
        try:
            beat = Run(folder).heartbeat.stat().st_mtime
        except OSError:
            beat = 0.0
        seen, since = self.beats.get((run, status.attempt), (-1.0, 0.0))
        if beat != seen:
            self.beats[run, status.attempt] = (beat, self.now)
        stale = beat == seen and self.now - since > liveness.STALE_SECONDS
        if not gone:
            self.devices[run] = status.device or self.devices.get(run, "auto")
        if gone or stale:
            if here and not gone:
                service.kill(liveness.pid_of(status.who))
            if run not in self.children:  # otherwise `reap` knows how it ended
                self.settle(run)
        elif (
            here
            and status.state == events.STOPPING
            and self.lasts(run, status.attempt, events.STOPPING) > FORCE_SECONDS
        ):
            service.kill(liveness.pid_of(status.who))
            message = f"It did not stop within {FORCE_SECONDS:.0f} s and was killed; its last checkpoint is kept."
            events.add(folder, events.STOPPED, message=message)


def _how(code: int | None) -> str:
    """A message for an exit code."""
    way_out = "Resume continues from the last checkpoint."
    if code is not None and code < 0:
        name = signal.Signals(-code).name if -code in signal.valid_signals() else str(-code)
        memory = " The system often does this when memory runs out." if name == "SIGKILL" else ""
        return f"Its process was killed ({name}).{memory} {way_out}"
    return f"Its process is gone. {way_out}"


def main(folder: RunsFolder, idle_seconds: float = IDLE_SECONDS) -> None:
    """Supervise until the folder has been idle for a while. A second supervisor of the same folder ends at once.

    Raises:
        Busy: another supervisor serves this folder.
    """
    service_ = supervision.supervisor(folder)
    with service_.serve():
        supervisor = Supervisor(folder)
        leftovers.sweep(folder)
        with suppress(OSError, sqlite3.Error):  # `reconcile` adds what is missing
            supervisor.queue.reindex()
        service_.served()
        quiet = beat = time.monotonic()
        while folder.path.is_dir():
            try:
                if supervisor.tick():
                    quiet = time.monotonic()
                else:
                    supervisor.spare.keep()
                if time.monotonic() - beat > 2:
                    beat = time.monotonic()
                    service_.beat()
                    service_.keep_card()
                if time.monotonic() - quiet > idle_seconds and service_.may_end(lambda: not supervisor.queue.waiting()):
                    return
            except (OSError, sqlite3.Error) as error:  # a full disk must not end supervision
                print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
                time.sleep(2)
            time.sleep(TICK_SECONDS)


if __name__ == "__main__":
    seconds = device.number("WORKBENCH_IDLE_SECONDS", IDLE_SECONDS)
    with suppress(service.Busy):
        main(names.runs_folder(sys.argv[1]), seconds)
