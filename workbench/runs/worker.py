"""The process that is one training: it drives the loop, and writes everything down.

python -m workbench.runs.worker RUN_FOLDER [--device "cuda:0 cuda:1"] [--attempt N] [--meeting FOLDER]

A cluster names the attempt, since it may start or keep a worker that nobody waits for any more: such a one ends at once. With a
meeting, the cluster also starts the other processes of the run, see `peers`.
"""

import argparse
import contextlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from workbench.core.collecting import rarely_collected
from workbench.processes import liveness, logs, service
from workbench.runs.context import RunContext
from workbench.runs.explaining import VANISHED, explain
from workbench.store import events, leftovers, names
from workbench.store.names import RunsFolder
from workbench.store.run import Run

HEARTBEAT_SECONDS = 2.0
WATCH_SECONDS = 0.25
PATIENCE_SECONDS = 1.0
"""How long work that has nothing to keep may go on after a stop was asked for."""
LOCK_SECONDS = 20.0
"""How long to wait for the process of the attempt before to be quite gone."""
PARENT_SECONDS = 60.0
"""How long a worker whose parent is gone, and which should end with it, may take for its checkpoint."""
BALLAST_BYTES = 65_536
"""Room set aside, so that a run on a full disk can still say that it is full."""
_GOES_ON = (events.QUEUED, events.STARTING, events.RUNNING, events.SAVING)


class Stopped(Exception):
    """Somebody asked for the end before there was anything to keep."""


class Worker:
    """One run folder, one process: its states, its heartbeat, and whether it was asked to stop."""

    def __init__(
        self, run: Run, device: str, attempt: int = 0, *, meeting: Path | None = None, parent: int = 0
    ) -> None:
        """`device` names one a process, with spaces between; `attempt` is 0 where no cluster is involved. For `meeting`
        see the context; `parent` is the process to end with, or 0.
        """
        self.meeting, self.parent = meeting, parent
        self.run, self.folder, self.device, self.attempt = run, run.folder, device, attempt
        self.note = "Starting"
        self.share: float | None = None
        self.asked = threading.Event()
        self.signalled = False
        """Whether a signal asked, before anybody else did."""
        self.nothing_to_keep = True
        """Before the first step, and once the last checkpoint is written: then a stop may end the process at once."""
        self.saves: Callable[[], bool] = lambda: False
        """Whether a checkpoint is being written."""
        self.leave = os._exit
        self._seen = 0
        self._ended = threading.Event()
        self.runs = RunsFolder(run.folder.parent)

    def cancelled(self) -> bool:
        """Whether the run was asked to stop. Cheap enough for every sub-forward: it looks at a file's size."""
        if not self.asked.is_set():
            with contextlib.suppress(OSError):  # a network disk does not answer: it is looked at again
                try:
                    size = os.stat(self.folder / names.EVENTS).st_size  # noqa: PTH116 - called very often
                except FileNotFoundError:
                    size = -1  # the folder was taken away
                if size != self._seen:
                    status = events.status(self.folder)
                    self._seen = size
                    if size < 0 or status.state not in _GOES_ON or not self.is_current(status):
                        self.asked.set()
        return self.asked.is_set()

    def is_current(self, status: events.Status) -> bool:
        """Whether nobody has started the next attempt in the belief that this one is dead."""
        return self.attempt in (0, status.attempt)

    def say(self, note: str, share: float | None = None) -> None:
        """Show what is being done now, until the run ends.

        Raises:
            Stopped: the run was asked to stop.
        """
        self.show(note, share)
        if self.cancelled():
            raise Stopped

    def show(self, note: str, share: float | None = None) -> None:
        """Show what is being done now, even to the end of a run that was asked to stop."""
        self.note, self.share = note, share

    def context(self) -> RunContext:
        """What the driver and its parts know of this process.

        Raises:
            BadSetting: the configuration cannot be read.
        """
        devices = tuple(self.device.split())
        return RunContext(
            self.folder, self.run.config, devices, self.say, self.show, self.cancelled, meeting=self.meeting
        )

    def beat(self) -> None:
        """Say that the process lives, and what it does."""
        with contextlib.suppress(OSError):
            self.run.heartbeat.parent.mkdir(parents=True, exist_ok=True)
            self.run.heartbeat.write_text(json.dumps({"note": self.note, "share": self.share}), encoding="utf-8")

    def _watch(self) -> None:
        """Beat, and end what doesn't react when it is asked to stop."""
        asked = beat = followed = time.monotonic()
        said = False
        while not self._ended.wait(WATCH_SECONDS):
            now = time.monotonic()
            if self.parent in (0, os.getppid()):
                followed = now
            else:
                self.be_told()
                if now - followed > PARENT_SECONDS:
                    self.leave(1)
                    return
            if now - beat > HEARTBEAT_SECONDS:
                beat = now
                self.beat()
            if not said and self.saves() and self.cancelled():
                with contextlib.suppress(OSError):
                    if events.status(self.folder).state == events.STOPPING:
                        events.add(self.folder, events.SAVING)  # else the supervisor kills what does not stop at once
                        said = True
            if not (self.nothing_to_keep and self.cancelled()):
                asked = now
            elif now - asked > PATIENCE_SECONDS:
                with contextlib.suppress(OSError):
                    self.end(events.STOPPED, message="Ended in the middle of preparing or evaluating; nothing is lost.")
                    self.__exit__()
                self.leave(0)
                return

    def __enter__(self) -> "Worker":
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.signal(signal.SIGINT, self._on_signal)
        self.beat()
        with contextlib.suppress(OSError):
            self.ballast.parent.mkdir(parents=True, exist_ok=True)
            self.ballast.write_bytes(b"\0" * BALLAST_BYTES)
        threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self.ballast.unlink(missing_ok=True)
        self.run.heartbeat.unlink(missing_ok=True)

    @property
    def ballast(self) -> Path:
        """See BALLAST_BYTES."""
        return self.runs.jobs / "ballast" / self.run.id

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.be_told()

    def be_told(self) -> None:
        """The cluster asks this process to end."""
        self.signalled = self.signalled or not self.asked.is_set()
        self.asked.set()

    def end(self, state: str, **details: object) -> None:
        """The last word; on a full disk, with the room that was kept for it."""
        if self.attempt:
            status = events.status(self.folder)
            if not self.is_current(status):
                return
            if state == events.STOPPED and self.signalled and status.state != events.STOPPING:
                details |= {"kind": events.SIGNALLED, "message": "The cluster asked its worker to end."}
        try:
            events.add(self.folder, state, **details)
        except OSError:
            self.ballast.unlink(missing_ok=True)
            events.add(self.folder, state, **details)


def work(worker: Worker) -> bool:
    """From the first event to the last. Every end is one event; a traceback goes to the log only.

    False if another process of the run vanished on its cluster: that is no event, and the run is taken up again like one
    whose worker vanished.
    """
    with rarely_collected(freeze=True):
        from workbench.runs.driver import Driver

    driver: Driver | None = None
    try:
        events.add(worker.folder, events.STARTING, who=liveness.identity(), device=worker.device)
        if worker.cancelled():
            raise Stopped
        driver = working = Driver(worker.context())
        worker.saves = lambda: working.context.saving
        driver.prepare()
        worker.nothing_to_keep = False
        events.add(
            worker.folder, events.RUNNING, step=driver.context.loop.step, device=" ".join(dict.fromkeys(driver.devices))
        )
        finished = driver.train()
        worker.nothing_to_keep = finished
        if finished and not worker.asked.is_set():
            driver.evaluate()
        worker.nothing_to_keep = False
        stopped = worker.asked.is_set() or not finished
        events.add(worker.folder, events.SAVING, step=driver.context.loop.step)
        driver.stop() if stopped else driver.finish()
        worker.end(events.STOPPED if stopped else events.DONE, step=driver.context.loop.step)
        driver.drop_last()
    except Stopped:
        worker.end(events.STOPPED, step=driver.reached if driver else 0)
    except BaseException as error:
        if type(error).__name__ == "Cancelled":  # of the encoder, whose module may not be imported yet
            worker.end(events.STOPPED, step=driver.reached if driver else 0)
            return True
        logs.note_error(error)
        kind, message = explain(error)
        if driver and kind == VANISHED:
            if failure := driver.peers.failure():
                kind, message = failure
            elif driver.peers.elsewhere and not worker.asked.is_set():
                return False
        remains = driver.whole_checkpoint() if driver else ""
        worker.end(events.FAILED, kind=kind, message=f"{message} {remains}".strip())
        if not isinstance(error, Exception):
            raise
    finally:
        if driver:
            driver.peers.end()
    return True


def main(arguments: list[str] | None = None) -> int:
    """Work on one run folder; the code is 1 only if another process of the run vanished on its cluster."""
    from filelock import FileLock, Timeout

    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--attempt", type=int, default=0)
    parser.add_argument("--meeting", type=Path)
    parser.add_argument("--with-parent", action="store_true")
    asked = parser.parse_args(arguments)
    run = Run(asked.folder.resolve())
    locks = RunsFolder(run.folder.parent).jobs / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    lock = FileLock(locks / f"{run.id}.lock")
    try:
        lock.acquire(timeout=LOCK_SECONDS)
    except Timeout:
        print("Another worker has this run.")
        return 0
    with lock:
        status = events.status(run.folder)
        if asked.attempt and status.attempt == asked.attempt and status.state in events.LIVE and status.who:
            # This process holds the lock, so the worker of this attempt is dead and its cluster has started the job again.
            stopping = status.state == events.STOPPING
            again = events.STOPPED if stopping else events.REQUEUED
            events.add(run.folder, again, message="Its cluster started it again.")
            status = events.status(run.folder)
        if status.state not in (events.QUEUED, events.STOPPING) or asked.attempt not in (0, status.attempt):
            print(f"Nothing to do: the run is {run.state}, attempt {status.attempt}.")
            return 0
        leftovers.sweep_run(run.folder)
        parent = os.getppid() if asked.with_parent else 0
        with Worker(run, asked.device, asked.attempt, meeting=asked.meeting, parent=parent) as worker:
            return 0 if work(worker) else 1


if __name__ == "__main__":
    service.leave(main())
