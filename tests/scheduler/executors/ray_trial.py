"""A real Ray cluster on this machine: a head that computes nothing, and nodes of one core each, which can be taken away.

Ray is not installed with the tests: WORKBENCH_RAY names a folder that `pip install --target FOLDER "ray[default]==2.60.0"` has
filled. The cluster is a process of its own that reads orders, one a line: `add NODE`, `add_gpu NODE`, `remove NODE`.
"""

import os
import secrets
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psutil

from tests.scheduler.executors.slurm_trial import free_port

WHY = "NO RAY HERE: WORKBENCH_RAY has to name a folder with ray[default], see tests/scheduler/executors/ray_trial.py."
READY_SECONDS = 90
_CLUSTER = """
import sys
from ray.cluster_utils import Cluster
port, *names = sys.argv[1:]
cluster = Cluster(initialize_head=True, head_node_args={
    "num_cpus": 0, "include_dashboard": True, "dashboard_host": "127.0.0.1", "dashboard_port": int(port),
    "object_store_memory": 80_000_000,
})
nodes = {}
def add(name, tries=3, **more):
    try:
        about = {"num_cpus": 1, "object_store_memory": 80_000_000, "resources": {name: 1}, **more}
        nodes[name] = cluster.add_node(**about)
    except Exception:  # a busy machine
        if not tries:
            raise
        add(name, tries - 1, **more)
for name in names:
    add(name)
print("ready", flush=True)
for line in sys.stdin:
    order, name = line.split()
    if order == "remove":
        cluster.remove_node(nodes.pop(name), allow_graceful=False)
    else:
        add(name, **({"num_cpus": 3, "num_gpus": 1} if order == "add_gpu" else {}))
    print("done", flush=True)
"""


def missing() -> str:
    """Why no cluster can be started here; empty if one can."""
    return "" if os.environ.get("WORKBENCH_RAY") or find_spec("ray") else WHY


class Trial:
    """The cluster; it can be killed as a whole and started again at the same address, with the same token."""

    def __init__(self, folder: Path, nodes: tuple[str, ...], **more: str) -> None:
        self.folder, self.nodes, self.more = folder, nodes, more
        self.port, self.token = free_port(), folder / "token"
        self.token.write_text(secrets.token_hex(16))
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start head and nodes, and wait until jobs are taken."""
        python_path = os.pathsep.join(filter(None, [os.environ.get("WORKBENCH_RAY"), os.environ.get("PYTHONPATH")]))
        environment = {
            **os.environ,
            "PYTHONPATH": python_path,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": self.token.read_text(),
            "RAY_USAGE_STATS_ENABLED": "0",
            **self.more,
        }
        with (self.folder / "ray.out").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _CLUSTER, str(self.port), *self.nodes],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                text=True,
                start_new_session=True,
            )
        self._answer("ready")
        request = urllib.request.Request(f"{self.address}/api/jobs/")
        request.add_header("Authorization", f"Bearer {self.token.read_text()}")
        deadline = time.monotonic() + READY_SECONDS
        while True:
            try:
                urllib.request.urlopen(request, timeout=5).close()
                return
            except OSError:
                assert time.monotonic() < deadline, (self.folder / "ray.out").read_text()[-2000:]
                time.sleep(0.5)

    def add(self, node: str) -> None:
        """Add a node."""
        self._order(f"add {node}")

    def add_gpu(self, node: str) -> None:
        """Add a node of three cores that is declared to have a GPU, whether there is one or not."""
        self._order(f"add_gpu {node}")

    def remove(self, node: str) -> None:
        """Take a node away without a word, and whatever runs on it."""
        self._order(f"remove {node}")

    def kill(self) -> None:
        """Kill head and nodes. Workers end when they see that."""
        process = psutil.Process(self.process.pid)
        for one in [*(one for one in process.children(recursive=True) if not _is_ours(one)), process]:
            try:
                one.kill()
            except psutil.NoSuchProcess:
                continue
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def _order(self, text: str) -> None:
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        self._answer("done")

    def _answer(self, word: str) -> None:
        line = self.process.stdout.readline()
        while line and line.strip() != word:
            line = self.process.stdout.readline()
        assert line, (self.folder / "ray.out").read_text()[-3000:]


def _is_ours(process: psutil.Process) -> bool:
    try:
        return "workbench.runs.worker" in process.cmdline()
    except psutil.Error:
        return False


@contextmanager
def ray(folder: Path, nodes: tuple[str, ...] = ("n1", "n2"), **more: str):
    """The cluster, ready."""
    folder.mkdir(parents=True, exist_ok=True)
    trial = Trial(folder, nodes, **more)
    try:
        yield trial
    finally:
        trial.kill()
