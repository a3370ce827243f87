"""The job of a Ray cluster that is a run of several processes, which may lie on several nodes.

It reserves room for all of them at once, so that two such runs never wait for each other, starts them, and ends with the first.

python -m workbench.runs.gang '{"processes": 2, "nodes": 2, "share": {"CPU": 1}, "worker": "...", "peer": "..."}'

Ray is imported here only: this runs on the cluster.
"""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

from workbench.processes import service

GRACE_SECONDS = 30.0
"""How long the first process may go on without one of the others: it notices by itself, unless a GPU waits."""


@dataclass(frozen=True)
class Gang:
    """The processes of a run."""

    processes: int
    nodes: int
    """Most nodes that they may lie on."""
    share: dict[str, float]
    """What each takes, by Ray's names: CPU, GPU and others."""
    worker: str
    """A line for a POSIX shell that becomes the first process."""
    peer: str
    """The same for all others."""


def sizes(processes: int, nodes: int) -> list[int]:
    """How many processes lie together on one node.

    >>> sizes(2, 2), sizes(5, 2), sizes(2, 8)
    ([1, 1], [3, 2], [1, 1])
    """
    count = min(processes, nodes)
    return [processes // count + (number < processes % count) for number in range(count)]


class Process:
    """A process on one of the nodes, held by an actor there."""

    def __init__(self) -> None:
        self.child: subprocess.Popen[bytes] | None = None

    def run(self, command: str, variables: dict[str, str]) -> int:
        """Run a line of shell, and return its exit code."""
        self.child = subprocess.Popen(["sh", "-c", command], env={**os.environ, **variables})
        return self.child.wait()

    def terminate(self) -> None:
        """Tell it to end."""
        if self.child:
            self.child.terminate()


def lead(gang: Gang) -> int:
    """Start all processes, and wait for the end of the first; its exit code."""
    import ray
    from ray.exceptions import RayError
    from ray.util.placement_group import placement_group
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

    asked: list[int] = []
    ray.init(log_to_driver=False, logging_level="warning")
    signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))
    together = sizes(gang.processes, gang.nodes)
    group = placement_group([{name: of * each for name, of in gang.share.items() if of} for each in together], "PACK")
    print(f"Waiting for room for {gang.processes} processes.", flush=True)
    while not ray.wait([group.ready()], timeout=1.0)[0]:
        if asked:
            return 1
    bundles = [bundle for bundle, each in enumerate(together) for _ in range(each)]
    cpus, gpus = gang.share.get("CPU", 0), gang.share.get("GPU", 0)
    others = {name: of for name, of in gang.share.items() if name not in ("CPU", "GPU")}
    kind = ray.remote(num_cpus=cpus, num_gpus=gpus, resources=others, max_restarts=0, max_concurrency=2)(Process)
    actors = [
        kind.options(scheduling_strategy=PlacementGroupSchedulingStrategy(group, bundle)).remote() for bundle in bundles
    ]
    meeting = secrets.token_hex(8)
    waiting = {
        actor.run.remote(gang.peer if rank else gang.worker, {"MEETING": meeting, "RANK": str(rank)}): rank
        for rank, actor in enumerate(actors)
    }
    failed = float("inf")
    while time.monotonic() < failed + GRACE_SECONDS:
        if asked:
            asked.clear()
            actors[0].terminate.remote()
        for reference in ray.wait(list(waiting), timeout=1.0)[0]:
            rank = waiting.pop(reference)
            try:
                code = ray.get(reference)
            except RayError as error:  # its node is gone
                print(f"Process {rank} of the run is gone: {type(error).__name__}", file=sys.stderr, flush=True)
                code = 1
            if rank == 0:
                return int(code)
            if code:
                failed = min(failed, time.monotonic())
    return 1


def main(arguments: list[str] | None = None) -> int:
    """See the module."""
    words = sys.argv[1:] if arguments is None else arguments
    return lead(Gang(**json.loads(words[0])))


if __name__ == "__main__":
    service.leave(main())
