"""Slurm: a job is a batch script that becomes the worker, so that signals reach it. Needs sbatch, squeue and scancel."""

import getpass
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, with_config

from workbench.core.errors import Refused, brief
from workbench.scheduler.executors.interface import Job, Standing
from workbench.scheduler.executors.remote import STRICT, Cluster, Remote

GRACE_SECONDS = 120
"""How long before its time is up, or before it is preempted, a worker is told: it then saves a checkpoint."""
_CALL_SECONDS = 15.0
_WAITING = ("PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT")
_RUNNING = ("RUNNING", "COMPLETING", "RESIZING", "SIGNALING", "STAGE_OUT", "STOPPED", "SUSPENDED")
_JOB = re.compile(r"([A-Z_]+)\|(.*?)\|(.*)")
"""A line of `squeue`: state, reason and name."""
_HEADER = "STATE|REASON|NAME"
_SILENT = ("Unable to contact", "Connection refused", "timed out", "Socket", "Transport", "Communication connection")
"""Parts of messages that mean that the controller did not answer."""


@with_config(STRICT)
@dataclass(frozen=True)
class SlurmCluster(Cluster):
    """What can be set of a Slurm cluster."""

    kind: str = "slurm"
    partition: str = ""
    account: str = ""
    gpus: Annotated[int, Field(ge=0)] = 0
    """GPUs of each process of a run."""
    memory: str = ""
    """Of each node, as `sbatch --mem`, such as 8G; empty for the partition's default."""
    time: str = ""
    """As `sbatch --time`, such as 1-00:00:00; empty for the partition's default."""
    options: tuple[str, ...] = ()
    """Further options of sbatch, such as --constraint=a100."""
    setup: tuple[str, ...] = ()
    """Lines of shell before the worker, such as `module load cuda`."""

    def executor(self, name: str) -> "Slurm":
        """The executor of this cluster."""
        return Slurm(name, self)


class Slurm(Remote):
    """See `Executor`."""

    cluster: SlurmCluster

    def submit(self, job: Job, command: str, peer: str) -> None:
        """`sbatch --parsable`, with the script on standard input. With several nodes, a task a process: `srun` starts all but
        the first, which the script itself becomes, so that signals reach it. When it ends, Slurm ends the others.

        Raises:
            Refused: Slurm does not take the job.
        """
        cluster, count = self.cluster, job.run.config.training.processes
        gpus = cluster.gpus
        if peer:
            size = {
                "ntasks": str(count),
                "cpus-per-task": str(cluster.cpus),
                "gpus-per-task": str(gpus) if gpus else "",
            }
            shape = {"nodes": f"1-{min(cluster.nodes, count)}", **size}
        else:
            size = {"cpus-per-task": str(cluster.cpus * count), "gres": f"gpu:{gpus * count}" if gpus else ""}
            shape = {"nodes": "1", "ntasks": "1", **size}
        about = {
            **shape,
            "job-name": job.name,
            "chdir": str(job.run.folder),
            "output": str(job.run.folder / "log.txt"),
            "open-mode": "append",
            "signal": f"B:TERM@{GRACE_SECONDS}",
            "partition": cluster.partition,
            "account": cluster.account,
            "mem": cluster.memory,
            "time": cluster.time,
        }
        script = "\n".join(["#!/bin/sh", *cluster.setup, *(_peers(peer, _options(size)) if peer else ()), command, ""])
        said = _call("sbatch", "--parsable", "--requeue", *_options(about), *cluster.options, script=script)
        if said.returncode:
            raise Refused(
                f"The Slurm cluster {self.name} does not accept the run.",
                reason=said.stderr.strip().removeprefix("sbatch: error: "),
                way_out="Correct its section of clusters.toml, then resume.",
            )

    def listed(self) -> dict[str, Standing]:
        """All jobs of this user, by one `squeue`; where two have the same name, the one that is not gone. Other lines, such as
        the second one of a name or what a site prints, are ignored.

        Raises:
            OSError: Slurm does not answer, or nothing of its answer can be read.
        """
        asked = ("squeue", "--states=all", f"--user={getpass.getuser()}", "--format=%T|%r|%j")
        answer = _call(*asked, "--noheader", strict=True).stdout
        jobs: dict[str, Standing] = {}
        for line in answer.splitlines():
            if (fields := _JOB.fullmatch(line.strip())) is None:
                continue
            state, reason, name = fields.groups()
            if name not in jobs or jobs[name].state == "gone":
                jobs[name] = standing(state, reason)
        # Without a job the header alone tells an answer from a text that is none.
        if not jobs and answer.strip() and _HEADER not in _call(*asked, strict=True).stdout.splitlines():
            raise OSError(f"squeue printed neither jobs nor a header, but {brief(answer)!r}.")
        return jobs

    def cancel(self, job: Job, *, force: bool) -> None:
        """`scancel`: of a job that waits, or is forced, the job; otherwise SIGTERM to the worker."""
        how = () if force else ("--batch", "--signal=TERM")
        _call("scancel", f"--user={getpass.getuser()}", f"--name={job.name}", *how, strict=True)

    def logs(self, job: Job) -> str:
        """Slurm writes into the log of the run."""
        return job.run.log(2000)


def _options(about: Mapping[str, str]) -> list[str]:
    return [f"--{name}={value}" for name, value in about.items() if value]


def _peers(peer: str, size: Sequence[str]) -> list[str]:
    """Lines of shell that start the other processes of a run. Task 0 lies where the script runs, and is its own share."""
    task = f'export RANK="$SLURM_PROCID"; test "$RANK" = 0 || {{ {peer}; }}'
    step = ["srun", *size, "--wait=0", "--kill-on-bad-exit=1", "--input=none", "sh", "-c", task]
    return ['export MEETING="$SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0}"', f"{shlex.join(step)} &"]


def standing(state: str, reason: str = "") -> Standing:
    """What a state of `squeue` means.

    >>> standing("PENDING").state, standing("COMPLETING").state, standing("NODE_FAIL").state
    ('waiting', 'running', 'gone')
    """
    if state in _WAITING:
        return Standing("waiting", reason)
    if state in _RUNNING:
        return Standing("running")
    why = {
        "NODE_FAIL": "Its node failed.",
        "TIMEOUT": "Its time on the cluster ran out.",
        "PREEMPTED": "It was preempted.",
        "OUT_OF_MEMORY": "It used more memory than the cluster gave it.",
        "CANCELLED": "Its job was cancelled.",
        "COMPLETED": "Its job has ended.",
    }
    return Standing("gone", why.get(state, f"Its job ended: {state.lower().replace('_', ' ')}."))


def _call(*words: str, script: str = "", strict: bool = False) -> "subprocess.CompletedProcess[str]":
    """One command of Slurm.

    Raises:
        OSError: it is not installed, or the controller does not answer; with `strict` also for any other failure.
    """
    try:
        said = subprocess.run(  # a name of a job may be in any encoding
            words, input=script, capture_output=True, text=True, errors="replace", timeout=_CALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise OSError(f"{words[0]} took more than {_CALL_SECONDS:.0f} s.") from None
    except FileNotFoundError:
        raise OSError(f"{words[0]} is not installed here.") from None
    if said.returncode and (strict or any(part in said.stderr for part in _SILENT)):
        raise OSError(said.stderr.strip()[:200])
    return said


def check() -> str:
    """What Slurm says of itself: its version and the number of nodes that work.

    Raises:
        OSError: it does not answer.
    """
    nodes = set(_call("sinfo", "--noheader", "--Node", "--responding", "--format=%N", strict=True).stdout.split())
    return f"{_call('sbatch', '--version').stdout.strip()}, {len(nodes)} node{'s' * (len(nodes) != 1)}"
