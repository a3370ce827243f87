"""The supervisor of a runs folder: starts queued runs, one per device, and notices workers that died.

It has no state that cannot be restored from the run folders: if it is killed, its successor takes over. Its memory is
reconciled with the folders and the queue every few seconds, so that a failed write is simply repeated.
"""

import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from workbench.core import device
from workbench.core.errors import BadSetting, UnknownName, WorkbenchError
from workbench.core.writing import is_disk_full
from workbench.processes import liveness, logs, service
from workbench.scheduler import supervision
from workbench.scheduler.clusters import cluster, gone
from workbench.scheduler.executors.interface import Executor, Job, Standing, Unreachable
from workbench.scheduler.executors.local import Local, how, silent
from workbench.scheduler.executors.remote import Cluster
from workbench.scheduler.queue import Queue, cluster_of, wish
from workbench.store import events, leftovers, names
from workbench.store.names import RunsFolder
from workbench.store.run import Run

TICK_SECONDS = 0.2
IDLE_SECONDS = 600.0
RECONCILE_SECONDS = 2.0
FORCE_SECONDS = 30.0
"""How long a run may take to stop before its process is killed. Saving may take as long as it needs."""
PAUSE_SECONDS = 5.0
"""A longer pause between two rounds does not count: this process, and perhaps the machine, was suspended."""
FIRST_SECONDS = 1800.0
"""How long a child may take to its first event. A slow machine imports torch in a minute; a disk that does not answer keeps the
process for ever."""
START_SECONDS = 10.0
"""How long a claimed run may have no sign of a worker, where that worker is not a child but one of a predecessor."""
MOST_STARTS = 8
"""How many runs are started in one round: a cluster may take a moment for each."""
MOST_LOOKS = 200
"""How many claimed runs, and how many waiting ones, are looked at in one round."""
SETTLE_SECONDS = 5.0
"""How long the end of a job may be known before the last event of its worker is seen here: the folder is on a network disk."""


@dataclass
class Supervisor:
    """The state of the supervisor of one runs folder, see `main`."""

    folder: RunsFolder
    clusters: dict[str, tuple[Cluster, Executor]] = field(default_factory=dict)
    """The executors of the clusters that runs are on, by name, with the settings that each was made from."""
    beats: dict[tuple[str, int], tuple[float, float]] = field(default_factory=dict)
    """The last heartbeat of each run and attempt, and when it was seen, by `now`."""
    since: dict[tuple[str, int, str], float] = field(default_factory=dict)
    """When an attempt at a run was first seen in a state that must not last, by `now`."""
    troubles: dict[str, str] = field(default_factory=dict)
    """The last disk error of each run, as logged: the write is repeated each round, the message is not."""
    now: float = 0.0
    """Seconds that this process has been running: unaffected by changes of the clock and by sleep of the machine."""
    reconciled: float = float("-inf")
    unseen: list[str] = field(default_factory=list)
    """Claimed runs that are still to be looked at, in reverse order."""
    turn: int = 0
    """At which of the runs on clusters `notice_ends` goes on."""
    last_waiting: str = ""
    """The waiting run that was looked at last."""

    def __post_init__(self) -> None:
        self.queue = Queue(self.folder)
        self.local = Local(self.folder)
        self._looked = time.monotonic()

    def tick(self) -> bool:
        """One round; whether a run is live or waiting."""
        moment = time.monotonic()
        self.now, self._looked = self.now + min(moment - self._looked, PAUSE_SECONDS), moment
        self.reap()
        self.notice_ends()
        if self.unseen:
            self.look_on()
        elif self.now - self.reconciled > RECONCILE_SECONDS:
            self.reconciled = self.now
            self.reconcile()
        waits = self.queue.waits()
        # To claim takes the lock of the queue, which an idle process leaves alone.
        for _ in range(MOST_STARTS if waits else 0):
            if not (claimed := self.queue.claim(self.slot_of, self.local.children)):
                break
            with self.apart(claimed[0]):
                self.start(*claimed)
        away = any(executor.taken for _, executor in self.clusters.values())
        return bool(self.local.taken or away or waits)

    def executor(self, on: str) -> Executor:
        """Where runs of this name are worked on. A cluster whose settings were edited is used with the new ones.

        Raises:
            Unreachable: their file cannot be read or names none, perhaps because it is being edited.
            WorkbenchError: there is no such cluster any more, but others.
        """
        if not on:
            return self.local
        try:
            settings = cluster(on)
        except UnknownName:
            raise gone(on) from None
        except BadSetting as error:
            raise Unreachable(str(error)) from error
        if on not in self.clusters or self.clusters[on][0] != settings:
            made = settings.executor(on)
            made.taken = self.clusters[on][1].taken if on in self.clusters else {}
            self.clusters[on] = (settings, made)
        return self.clusters[on][1]

    def executor_of(self, status: events.Status) -> Executor:
        """The executor of a live run.

        Raises:
            Unreachable: its cluster is not in clusters.toml any more: nothing can be said of its worker.
        """
        try:
            return self.executor(status.on)
        except WorkbenchError as error:
            raise Unreachable(str(error)) from error

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
                logs.note(message)

    def fail(self, run: str, error: Exception) -> None:
        """Record why a run cannot be handled. Its row is removed when the folders are next checked."""
        logs.note_error(error)
        kind, message = type(error).__name__, str(error) or "There is no message. See the log of the supervisor."
        events.add(self.folder.path / run, events.FAILED, kind=kind, message=message)

    def slot_of(self, run: str, asks: str) -> str:
        """See `Executor.slot_for`; an error fails the run, which waits while nothing is known of its cluster."""
        with self.apart(run):
            return self.executor(cluster_of(asks)).slot_for(run, asks.rpartition("/")[2])
        return ""

    def start(self, run: str, slot: str) -> None:
        """Start the worker of a claimed run."""
        folder = self.folder.path / run
        status = Run(folder).recorded_status
        if not folder.is_dir() or status.state not in (events.QUEUED, events.STOPPING):
            self.queue.remove(run, "claimed")
            return
        try:
            job = Job(Run(folder), status.attempt, {})
            job.run.heartbeat.parent.mkdir(parents=True, exist_ok=True)
            job.run.heartbeat.touch()
            executor = self.executor(status.on)
            executor.start(job, slot)
            executor.taken[run] = slot
        except Unreachable:  # neither is this: it waits until its cluster answers
            self.queue.back(run)
            raise
        except Exception as error:
            if is_disk_full(error):  # not the fault of the run: it waits until there is room
                raise
            self.fail(run, error)
            self.queue.remove(run, "claimed")

    def reap(self) -> None:
        """Collect ended workers and record how they ended, if they did not. A child is forgotten once that is on disk."""
        for run, code in self.local.ended().items():
            self.local.taken.pop(run, None)
            with self.apart(run):
                self.settle(run, Standing("gone", how(code)), self.local.attempts.get(run))
                del self.local.children[run]

    def notice_ends(self) -> None:
        """Look at the runs on clusters that have ended by their own account: each frees a place for the next. Seen only when
        all is reconciled, runs of a few seconds would leave half of the places empty.
        """
        away = [run for _, executor in self.clusters.values() for run in executor.taken]
        first = self.turn % len(away) if away else 0
        self.turn += MOST_LOOKS
        for run in (away[first:] + away[:first])[:MOST_LOOKS]:
            with self.apart(run):
                if Run(self.folder.path / run).recorded_status.state in events.ENDED:
                    self.look_at(run)

    def settle(self, run: str, standing: Standing, attempt: int | None = None) -> None:
        """Record the end of a run whose worker is gone, unless it was queued again since. `attempt` is that of a worker
        which was started by this process, or by a cluster for it.
        """
        folder = self.folder.path / run
        status = Run(folder).recorded_status
        if attempt in (None, status.attempt):
            if status.state in events.LIVE and not status.on and liveness.lives(status.who):
                self.local.keep(Job(Run(folder), status.attempt, status.who), status.device)
                return  # another worker has the run, and its devices; it was adopted
            if status.state == events.QUEUED and attempt is not None:
                message = "Its process ended before it could report why. See its log."
                if status.on:
                    message = f"{standing.reason} Its worker never reported. See its log"
                    if self.retried(run, status, f"{message}."):
                        return
                    message += f", and the section {status.on} of clusters.toml. Jobs so far: {status.retries + 1}."
                events.add(folder, events.FAILED, kind="NotStarted", message=message)
            elif status.state in events.LIVE:
                reason = standing.reason or how(None)
                if self.retried(run, status, reason):
                    return
                events.add(folder, events.LOST, message=reason)
                leftovers.sweep_run(folder)
        self.forget(run)

    def retried(self, run: str, status: events.Status, reason: str) -> bool:
        """Whether a run was queued again by itself, which is done on clusters only, and not for ever."""
        if not status.on or status.state == events.STOPPING or status.retries >= self.executor_of(status).resumes:
            return False
        folder = self.folder.path / run
        training = Run(folder).config.training
        with suppress(Unreachable):  # its cluster may have put the old job back too
            self.executor_of(status).stop(Job(Run(folder), status.attempt, status.who), force=True)
        self.queue.add(run, wish(training.device, training.processes, status.on), again=True)
        events.add(folder, events.RETRIED, message=reason)
        leftovers.sweep_run(folder)
        self.release(run)
        return True

    def release(self, run: str) -> None:
        """Release the slot of a run."""
        self.local.taken.pop(run, None)
        for _, executor in self.clusters.values():
            executor.taken.pop(run, None)

    def forget(self, run: str) -> None:
        """Release the slot and the row of a run. The rest is forgotten at the next `reconcile`."""
        self.release(run)
        self.queue.remove(run, "claimed")

    def lasts(self, run: str, attempt: int, state: str) -> float:
        """Seconds since this attempt at the run was first seen in this state."""
        return self.now - self.since.setdefault((run, attempt, state), self.now)

    def reconcile(self) -> None:
        """Compare the index with the folders: adopt live workers, record dead ones, and kill those that do not stop."""
        self.queue.complete()
        claimed = self.queue.claimed()
        worked_on = {*claimed, *self.local.children}
        for executor in (self.local, *(executor for _, executor in self.clusters.values())):
            executor.taken = {run: slot for run, slot in executor.taken.items() if run in worked_on}
        self.local.attempts = {run: one for run, one in self.local.attempts.items() if run in self.local.children}
        self.beats = {key: beat for key, beat in self.beats.items() if key[0] in worked_on}
        self.since = {key: moment for key, moment in self.since.items() if key[0] in worked_on}
        self.troubles = {run: text for run, text in self.troubles.items() if run in worked_on or self.queue.holds(run)}
        self.unseen = claimed[::-1]
        self.look_on()
        waiting = self.queue.waiting_after(self.last_waiting, MOST_LOOKS)
        self.last_waiting = waiting[-1] if len(waiting) == MOST_LOOKS else ""
        for run in waiting:
            with self.apart(run):
                self.look_at_waiting(run)

    def look_on(self) -> None:
        """Look at the next claimed runs."""
        for _ in range(min(MOST_LOOKS, len(self.unseen))):
            with self.apart(run := self.unseen.pop()):
                self.look_at(run)

    def look_at(self, run: str) -> None:
        """Check a claimed run."""
        folder = self.folder.path / run
        status = Run(folder).recorded_status
        if status.state in events.ENDED or not folder.is_dir():
            again = status.kind == events.SIGNALLED and self.retried(run, status, status.message)
            if run not in self.local.children and not again:
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
        executor = self.executor_of(status)
        job = Job(Run(self.folder.path / run), status.attempt, {})
        standing = executor.state(job)
        if standing.state != "gone" and not status.on:
            self.end_silent(job, status.state)
            return
        if status.state == events.STOPPING:
            if standing.state != "gone":
                executor.stop(job, force=True)
            events.add(self.folder.path / run, events.STOPPED, message="Stopped before it started.")
            self.forget(run)
            return
        if standing.state != "gone":
            executor.keep(job, "")
            self.since.pop((run, status.attempt, "claimed"), None)
            return
        if self.lasts(run, status.attempt, "claimed") > START_SECONDS:
            self.since.pop((run, status.attempt, "claimed"))
            if standing.reason:
                self.settle(run, standing, status.attempt)
            else:
                self.release(run)
                self.queue.back(run)

    def end_silent(self, job: Job, state: str) -> None:
        """Kill a child that hangs before its first event. Its row is removed once it is gone."""
        stopping = state == events.STOPPING
        patience = FORCE_SECONDS if stopping else FIRST_SECONDS
        if self.lasts(job.run.id, job.attempt, f"silent, {state}") <= patience:
            return
        self.local.stop(job, force=True)
        if stopping:
            message = f"It did not stop within {patience:.0f} s and was killed before it had begun."
            events.add(job.run.folder, events.STOPPED, message=message)
        else:
            message = (
                f"Its process did not begin within {patience / 60:.0f} min and was killed: perhaps a disk does not answer. See "
                "its log. Resume starts it again."
            )
            events.add(job.run.folder, events.FAILED, kind="NotStarted", message=message)

    def watch(self, run: str, folder: Path, status: events.Status) -> None:
        """Check a run whose worker should be alive."""
        job, executor = Job(Run(folder), status.attempt, status.who), self.executor_of(status)
        stale = self.is_stale(job, executor.stale_seconds)
        standing = executor.state(job)
        if standing.state == "waiting":  # the cluster lost its worker, and has queued the job again
            if self.lasts(run, status.attempt, "waiting") > SETTLE_SECONDS:
                self.since.pop((run, status.attempt, "waiting"))
                events.add(folder, events.REQUEUED, message=standing.reason or "Its cluster queued it again.")
            return
        gone = standing.state == "gone"
        if not gone:
            executor.keep(job, status.device)
        elif status.on and self.lasts(run, status.attempt, "gone") <= SETTLE_SECONDS:
            return
        if gone:
            if stale and (run, status.attempt, "stale") in self.since:  # ended below, which its cluster calls cancelled
                standing = Standing("gone", silent(executor.stale_seconds, killed=True))
            if run not in self.local.children:  # otherwise `reap` knows how it ended
                self.settle(run, standing)
        elif stale:
            killed = executor.stop(job, force=True)
            if status.on and self.lasts(run, status.attempt, "stale") <= FORCE_SECONDS:
                return  # it is not lost before it is known to be gone, unless nothing is known of it
            self.settle(run, Standing("gone", silent(executor.stale_seconds, killed=killed)))
        elif status.state == events.STOPPING:
            lasts = self.lasts(run, status.attempt, events.STOPPING)
            if status.on and not lasts:
                executor.stop(job, force=False)  # it may take a while until the worker sees the event
            if lasts > FORCE_SECONDS and executor.stop(job, force=True):
                message = f"It did not stop within {FORCE_SECONDS:.0f} s and was killed; its last checkpoint is kept."
                events.add(folder, events.STOPPED, message=message)

    def is_stale(self, job: Job, seconds: float) -> bool:
        """Whether no heartbeat has arrived for so long, by the clock of this process."""
        try:
            beat = job.run.heartbeat.stat().st_mtime
        except OSError:
            beat = 0.0
        seen, since = self.beats.get((job.run.id, job.attempt), (-1.0, 0.0))
        if beat != seen:
            self.beats[job.run.id, job.attempt] = (beat, self.now)
        return beat == seen and self.now - since > seconds


def main(folder: RunsFolder, idle_seconds: float = IDLE_SECONDS) -> None:
    """Supervise until the folder has been idle for a while. A second supervisor of the same folder ends at once.

    Raises:
        Busy: another supervisor serves this folder.
    """
    service_ = supervision.supervisor(folder)
    with service_.serve(), ExitStack() as opened:
        supervisor = Supervisor(folder)
        leftovers.sweep(folder)
        with suppress(OSError, sqlite3.Error):  # `reconcile` adds what is missing
            # While one connection is open, SQLite does not make and remove its log for each of the many short ones.
            opened.enter_context(supervisor.queue.database.read())
            supervisor.queue.reindex()
        service_.served()
        quiet = beat = time.monotonic()
        while True:
            try:
                if not folder.path.is_dir():
                    return
                if time.monotonic() - beat > 2:  # before a round that may fail: a process without heartbeat is killed
                    beat = time.monotonic()
                    service_.beat()
                    service_.keep_card()
                if supervisor.tick():
                    quiet = time.monotonic()
                else:
                    supervisor.local.spare.keep()
                if time.monotonic() - quiet > idle_seconds and service_.may_end(lambda: not supervisor.queue.waits()):
                    return
            except (OSError, sqlite3.Error) as error:  # a full disk must not end supervision
                logs.note(f"{type(error).__name__}: {error}")
                time.sleep(2)
            time.sleep(TICK_SECONDS)


if __name__ == "__main__":
    seconds = device.number("WORKBENCH_IDLE_SECONDS", IDLE_SECONDS)
    with suppress(service.Busy):
        main(names.runs_folder(sys.argv[1]), seconds)
