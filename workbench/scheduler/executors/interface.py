"""What the supervisor asks of the place where a worker runs. It decides, an executor only starts, looks and ends."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from workbench.store.run import Run


class Unreachable(OSError):
    """A cluster doesn't answer, so nothing is known of its jobs: what was asked of it is repeated later."""


@dataclass(frozen=True)
class Job:
    """One attempt at a run, which is one job of an executor."""

    run: Run
    attempt: int
    who: Mapping[str, object]
    """Identity of the worker; empty until it has started."""

    @property
    def name(self) -> str:
        """By which a cluster knows it, also after the supervisor was replaced."""
        return f"{self.run.id}.{self.attempt}"


@dataclass(frozen=True)
class Standing:
    """What an executor knows of a job."""

    state: Literal["waiting", "running", "gone"]
    reason: str = ""
    """Why it is gone; empty if the executor has never heard of it, or it only waited and may be handed in again."""


class Executor(Protocol):
    """The interface. `Unreachable` may be raised by all methods but `slot_for`."""

    taken: dict[str, str]
    """The slot of each run that has one."""
    resumes: int
    """How many times a run whose worker vanished is queued again by itself."""

    @property
    def stale_seconds(self) -> float:
        """After how many seconds without a heartbeat a worker counts as dead."""
        ...

    def slot_for(self, run: str, asks: str) -> str:
        """A free slot for the wish of a run, or an empty text; see `workbench.scheduler.queue`."""
        ...

    def start(self, job: Job, slot: str) -> None:
        """Start the worker, or hand it to the cluster's own queue."""
        ...

    def state(self, job: Job) -> Standing:
        """Whether the worker waits to be started, runs, or is gone."""
        ...

    def keep(self, job: Job, device: str) -> None:
        """Take note of a slot that a run has since before this process began."""
        ...

    def stop(self, job: Job, *, force: bool) -> bool:
        """End the worker: ask it to with SIGTERM, or kill it. Whether it can be reached from here."""
        ...

    def logs(self, job: Job) -> str:
        """The end of what the executor, not the worker, wrote about the job; empty if it wrote nothing."""
        ...
