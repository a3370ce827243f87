"""This machine: a worker is a process, and a slot is the devices that it gets."""

import signal
import subprocess
from dataclasses import dataclass, field

import psutil

from workbench.processes import liveness, service
from workbench.scheduler.executors.interface import Job, Standing
from workbench.scheduler.spares import Spare
from workbench.store import names
from workbench.store.environment import known_devices
from workbench.store.names import RunsFolder

_WAY_OUT = "Resume continues from the last checkpoint."


@dataclass
class Local:
    """The workers of one supervisor, and those of its predecessors that still run."""

    folder: RunsFolder
    resumes: int = 0
    children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    """The attempt that each child works on: a run may be queued again before its last process has ended."""
    taken: dict[str, str] = field(default_factory=dict)
    """The slot of each live run: its devices, joined by spaces."""

    def __post_init__(self) -> None:
        self.spare = Spare(self.folder)

    @property
    def stale_seconds(self) -> float:
        """See `Executor`."""
        return liveness.STALE_SECONDS

    def slot_for(self, run: str, asks: str) -> str:
        """Free devices for the wish of a run, or an empty text; see `queue`.

        The devices of the machine are known once a process with torch has recorded them; until then a run with the device
        `auto` runs alone. A wish for more devices than there are is an error that the run itself reports.
        """
        if run in self.children:  # the process of the previous attempt
            return ""
        known = known_devices(self.folder.cache)
        busy = {name for slot in self.taken.values() for name in slot.split()}
        wishes = ["cuda:0" if name == "cuda" else name for name in asks.split()] or ["auto"]
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

    def start(self, job: Job, slot: str) -> None:
        """Start the worker as a child, or give the run to the idle one."""
        folder = job.run.folder
        threads = job.run.config.training.threads or None
        arguments, log = [str(folder), "--device", slot], folder / names.LOG
        self.children[job.run.id] = self.spare.take(arguments, log=log, threads=threads) or service.spawn(
            "workbench.runs.worker", *arguments, log=log, threads=threads
        )
        self.attempts[job.run.id] = job.attempt

    def ended(self) -> dict[str, int]:
        """The children that have ended, and their exit codes."""
        codes = {run: process.poll() for run, process in self.children.items()}
        return {run: code for run, code in codes.items() if code is not None}

    def state(self, job: Job) -> Standing:
        """By the process itself. Of a worker on another machine, which shares the folder, only the heartbeat is known."""
        if not job.who:
            return Standing("waiting") if job.run.id in self.children else Standing("gone")
        if not _here(job) or liveness.lives(job.who):
            return Standing("running")
        return Standing("gone", how(None))

    def keep(self, job: Job, device: str) -> None:
        """See `Executor`."""
        self.taken[job.run.id] = device or self.taken.get(job.run.id, "auto")

    def stop(self, job: Job, *, force: bool) -> bool:
        """Signal the process, if it is on this machine. One without an event yet is a child."""
        child = self.children.get(job.run.id)
        who = liveness.identity(child.pid) if child and not job.who else job.who
        if who.get("machine") != liveness.machine():
            return False
        pid = liveness.pid_of(who)
        if force:
            service.kill(pid)
        elif liveness.lives(who):
            psutil.Process(pid).send_signal(signal.SIGTERM)
        return True

    def logs(self, job: Job) -> str:
        """Nothing: the worker writes its own log."""
        return ""


def _here(job: Job) -> bool:
    return job.who.get("machine") == liveness.machine()


def how(code: int | None) -> str:
    """A message for an exit code."""
    if code is not None and code < 0:
        name = signal.Signals(-code).name if -code in signal.valid_signals() else str(-code)
        memory = " The system often does this when memory runs out." if name == "SIGKILL" else ""
        return f"Its process was killed ({name}).{memory} {_WAY_OUT}"
    return f"Its process is gone. {_WAY_OUT}"


def silent(seconds: float, *, killed: bool) -> str:
    """A message for a worker whose heartbeat stood still for so long."""
    return f"Its process gave no sign of life for {seconds:.0f} s{' and was killed' if killed else ''}. {_WAY_OUT}"
