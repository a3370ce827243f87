"""A real Slurm cluster on this machine: slurmctld, munged, and a slurmd for each of several nodes, with folders of their own."""

import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

NEEDED = ("slurmctld", "slurmd", "sbatch", "squeue", "scancel", "munged")
WHY = f"NO SLURM HERE: {', '.join(NEEDED)} are needed (apt-get install slurm-wlm munge), and root."
DOWN_SECONDS = 10
"""After how long without an answer a node is down."""


def missing() -> str:
    """Why no cluster can be started here; empty if one can."""
    return "" if all(map(shutil.which, NEEDED)) and os.geteuid() == 0 else WHY


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@dataclass
class Trial:
    """The cluster: its daemons, by the node, `controller` or `munged`."""

    folder: Path
    nodes: tuple[str, ...]
    daemons: dict[str, subprocess.Popen] = field(default_factory=dict)

    def start(self, name: str, *words: str) -> None:
        """Start a daemon that stays in the foreground."""
        with (self.folder / f"{name}.out").open("ab") as log:
            self.daemons[name] = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)

    def start_node(self, node: str) -> None:
        """Start a node, or start it again."""
        self.start(node, "slurmd", "-D", "-N", node)

    def start_controller(self, *words: str) -> None:
        """Start the controller, with `-c` without what it remembers."""
        self.start("controller", "slurmctld", "-D", *words)

    def kill(self, name: str) -> None:
        """End a daemon at once. Of a node also all of its jobs, as if its power had failed."""
        for process in psutil.process_iter() if name in self.nodes else ():
            if _is_of(process, name, self.folder):
                process.kill()
        self.daemons[name].kill()
        self.daemons[name].wait()

    def nodes_that_answer(self) -> set[str]:
        said = subprocess.run(
            ["sinfo", "--noheader", "--Node", "--responding", "--states=idle,alloc,mix", "--format=%N"],
            capture_output=True,
            text=True,
            check=False,
        )
        return set(said.stdout.split())


def _is_of(process: psutil.Process, node: str, folder: Path) -> bool:
    """Whether a process is a job of this node, or the slurmstepd that started it, which is known by its log."""
    try:
        if process.name() == "slurmstepd":
            return str(folder / f"{node}.log") in [one.path for one in process.open_files()]
        variables = process.environ()
        return variables.get("SLURMD_NODENAME") == node and variables.get("SLURM_CONF", "").startswith(str(folder))
    except (psutil.Error, OSError):
        return False


@contextmanager
def slurm(folder: Path, nodes: int = 2, cpus: int = 2):
    """The cluster, ready; SLURM_CONF names it meanwhile."""
    host = socket.gethostname().split(".")[0]
    names = [f"n{number + 1}" for number in range(nodes)]
    lines = {
        "ClusterName": "trial",
        "SlurmctldHost": f"{host}(127.0.0.1)",
        "SlurmctldPort": free_port(),
        "SlurmdPort": free_port(),
        "AuthType": "auth/munge",
        "CredType": "cred/munge",
        "AuthInfo": f"socket={folder}/munge.socket",
        "SlurmUser": "root",
        "SlurmdUser": "root",
        "StateSaveLocation": folder / "state",
        "SlurmdSpoolDir": f"{folder}/spool.%n",
        "SlurmctldPidFile": folder / "controller.pid",
        "SlurmdPidFile": f"{folder}/%n.pid",
        "SlurmctldLogFile": folder / "controller.log",
        "SlurmdLogFile": f"{folder}/%n.log",
        "ProctrackType": "proctrack/linuxproc",
        "TaskPlugin": "task/none",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_CPU",
        "MpiDefault": "none",
        "SlurmdTimeout": DOWN_SECONDS,
        "ReturnToService": 2,
        "SchedulerParameters": "sched_interval=1,bf_interval=2",
        "JobAcctGatherType": "jobacct_gather/none",
        "AccountingStorageType": "accounting_storage/none",
    }
    about = [f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs={cpus}" for name in names]
    about += [f"PartitionName=main Nodes={','.join(names)} Default=YES MaxTime=INFINITE State=UP", ""]
    (folder / "state").mkdir(parents=True)
    (folder / "slurm.conf").write_text("\n".join([*(f"{name}={value}" for name, value in lines.items()), *about]))
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o400)
    folder.chmod(0o755)
    trial, before = Trial(folder, tuple(names)), os.environ.get("SLURM_CONF")
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    try:
        files = [f"--{name}-file={folder}/munge.{name}" for name in ("key", "pid", "log", "seed")]
        trial.start("munged", "munged", "--foreground", "--force", f"--socket={folder}/munge.socket", *files)
        trial.start_controller("-c")
        for name in names:
            trial.start_node(name)
        until = time.monotonic() + 40
        while trial.nodes_that_answer() != set(names):
            assert time.monotonic() < until, (folder / "controller.out").read_text()[-2000:]
            time.sleep(0.3)
        yield trial
    finally:
        subprocess.run(["scancel", "--signal=KILL", "--full", "--user=root"], capture_output=True, check=False)
        for name in reversed(list(trial.daemons)):
            trial.kill(name)
        if before is None:
            del os.environ["SLURM_CONF"]
        else:
            os.environ["SLURM_CONF"] = before
