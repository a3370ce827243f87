"""The same script in two processes that share one training."""

import os
import socket
import subprocess
import sys


def losses_of_both(script, folder):
    """Each process prints LOSSES and a list of the losses of its steps: the two lists."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    shared = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2"}
    shared |= {"ACCELERATE_USE_CPU": "1", "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE", "PYTHONPATH": "."}
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(folder)],
            env={**shared, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    told = [worker.communicate(timeout=120)[0] for worker in workers]
    assert all(worker.returncode == 0 for worker in workers)
    lines = [next(line for line in text.splitlines() if line.startswith("LOSSES")) for text in told]
    return [eval(line.removeprefix("LOSSES ")) for line in lines]
