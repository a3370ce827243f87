"""What the executors of clusters have in common: jobs by name, one look at all of them, and pauses after a failure."""

import shlex
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, with_config
from pydantic_core import PydanticCustomError

import workbench
from workbench.core.device import process_environment
from workbench.scheduler.executors.interface import Job, Standing, Unreachable
from workbench.store import names

LOOK_SECONDS = 3.0
"""How old what is known of the jobs may be before the cluster is asked again."""
REST_SECONDS = 15.0
"""How long a cluster that did not answer is left alone."""
_UNLISTED = "Its job has ended or was removed: the cluster does not list it any more."
_COMPUTES = (
    "OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
    "NUMBA_NUM_THREADS", "TOKENIZERS_PARALLELISM", "PYTHONUTF8", "PYTHONSAFEPATH", "HF_HUB_DISABLE_TELEMETRY",
)  # fmt: skip
"""What `process_environment` sets; the rest is the node's own."""
STRICT = ConfigDict(extra="forbid", strict=True)


def _program(path: str) -> str:
    if not path.strip():
        raise PydanticCustomError("program", "it is the path of a program, such as /shared/venv/bin/python")
    return path


def _variable(name: str) -> str:
    if not (name.isascii() and name.isidentifier()):
        raise PydanticCustomError(
            "variable", "the name of a variable has letters, digits and _, and starts with no digit"
        )
    return name


@with_config(STRICT)
@dataclass(frozen=True)
class Cluster:
    """What can be set of every cluster."""

    jobs: Annotated[int, Field(ge=1)] = 8
    """Most jobs at once, waiting in the cluster's queue or running; more wait in the workbench's own."""
    resumes: Annotated[int, Field(ge=0)] = 3
    """How many times a run whose worker vanished, or was told to end by the cluster, is queued again by itself."""
    stale_seconds: Annotated[float, Field(ge=10)] = 180.0
    """Seconds without a heartbeat after which a worker counts as dead. A network disk may show it a minute late."""
    python: Annotated[str, AfterValidator(_program)] = "python"
    """The Python on the nodes that has the workbench, best with its whole path."""
    cpus: Annotated[int, Field(ge=1)] = 1
    """Cores of each process of a run, which are also its threads."""
    nodes: Annotated[int, Field(ge=1)] = 1
    """Most nodes of one run: only one of several processes can use more than one."""
    environment: dict[Annotated[str, AfterValidator(_variable)], str] = field(default_factory=dict)
    """Environment variables of the worker."""


class Remote(ABC):
    """Jobs of one cluster. Subclasses submit, list and cancel."""

    def __init__(self, name: str, cluster: Cluster) -> None:
        self.name, self.cluster = name, cluster
        self.taken: dict[str, str] = {}
        self.resumes, self.stale_seconds = cluster.resumes, cluster.stale_seconds
        self._jobs: dict[str, Standing] = {}
        self._looked = self._failed = float("-inf")
        self._trouble = ""

    @abstractmethod
    def submit(self, job: Job, command: str, peer: str) -> None:
        """Hand a job to the cluster; `command` is a line for a POSIX shell that becomes the worker.

        If the run may lie on several nodes, `peer` becomes one of its other processes, otherwise it is empty. Both then
        expect the environment variable MEETING, unique to each start of the job, and `peer` RANK, from 1 on.
        """

    @abstractmethod
    def listed(self) -> dict[str, Standing]:
        """All jobs that the cluster knows, by name."""

    @abstractmethod
    def cancel(self, job: Job, *, force: bool) -> None:
        """End a job; one that the cluster does not know is no error."""

    @abstractmethod
    def logs(self, job: Job) -> str:
        """See `Executor`."""

    def slot_for(self, run: str, asks: str) -> str:
        """See `Executor`: a slot is the first device of the wish, which the cluster finds a node for."""
        rests = time.monotonic() - self._failed < REST_SECONDS
        if rests or len(self.taken) >= self.cluster.jobs or run in self.taken:
            return ""
        return asks.split()[0] if asks.split() else "auto"

    def start(self, job: Job, slot: str) -> None:
        """See `Executor`. A job that is there already, submitted by a supervisor that was killed, is left as it is."""
        if self.state(job).state != "gone":
            return
        with self._asked():
            self.submit(job, self._command(job, slot), self._peer(job) if self.spans(job) else "")
        self._jobs[job.name] = Standing("waiting")

    def state(self, job: Job) -> Standing:
        """See `Executor`; at most `LOOK_SECONDS` old."""
        if time.monotonic() - self._looked > LOOK_SECONDS:
            with self._asked():
                try:
                    self._jobs = self.listed()
                except (ValueError, LookupError, TypeError) as error:  # no run is to blame for such an answer
                    raise OSError(f"its list of jobs cannot be read ({type(error).__name__}: {error})") from error
            self._looked = time.monotonic()
        # One that was never handed in, perhaps by a supervisor that was killed first, has no end to give a reason for.
        unlisted = _UNLISTED if job.run.id in self.taken else ""
        return self._jobs.get(job.name, Standing("gone", unlisted))

    def keep(self, job: Job, device: str) -> None:
        """See `Executor`."""
        self.taken.setdefault(job.run.id, device or "auto")

    def stop(self, job: Job, *, force: bool) -> bool:
        """See `Executor`."""
        with self._asked():
            self.cancel(job, force=force)
        self._looked = float("-inf")
        return True

    @contextmanager
    def _asked(self) -> Iterator[None]:
        if time.monotonic() - self._failed < REST_SECONDS:
            raise Unreachable(self._trouble)  # in the same words, which are logged once
        try:
            yield
        except OSError as error:
            self._failed = time.monotonic()
            self._trouble = f"The cluster {self.name} does not answer: {error}"
            raise Unreachable(self._trouble) from error

    def variables(self, threads: int) -> Mapping[str, str]:
        """Environment variables of a worker with so many threads: what it computes with, and where it finds the code."""
        wanted = process_environment(threads)
        sent = {name: value for name, value in wanted.items() if name.startswith("WORKBENCH_") or name in _COMPUTES}
        root = str(Path(workbench.__file__).parents[1])
        return {**sent, "PYTHONPATH": root, **self.cluster.environment}

    def spans(self, job: Job) -> bool:
        """Whether the run may lie on several nodes, so that the cluster starts all of its processes."""
        return self.cluster.nodes > 1 and job.run.config.training.processes > 1

    def _command(self, job: Job, slot: str) -> str:
        arguments = ["--device", slot, "--attempt", str(job.attempt)]
        meeting = f"{_meeting(job)} --with-parent" if self.spans(job) else ""
        return self.line(job, "workbench.runs.worker", str(job.run.folder), *arguments, more=meeting)

    def _peer(self, job: Job) -> str:
        return self.line(job, "workbench.runs.peers", str(job.run.folder), more=f'{_meeting(job)} --rank "$RANK"')

    def line(self, job: Job, module: str, *arguments: str, more: str = "") -> str:
        """A line for a POSIX shell that becomes a process of the run; `more` has arguments in the shell's own words."""
        training = job.run.config.training
        threads = training.threads or self.cluster.cpus * training.processes
        variables = self.variables(max(1, threads // training.processes) if self.spans(job) else threads)
        words = ["env", *(f"{name}={value}" for name, value in variables.items())]
        words += [self.cluster.python, "-m", module, *arguments]
        log = shlex.quote(str(job.run.folder / names.LOG))
        return f"umask 077; exec {shlex.join(words)}{more} >> {log} 2>&1 < /dev/null"


def _meeting(job: Job) -> str:
    """Where the processes meet: the next start of the job removes it, as it does all files of that kind."""
    return f' --meeting {shlex.quote(str(job.run.folder))}/.peers-"$MEETING".tmp'
