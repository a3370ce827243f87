"""Trainings that two processes share take the steps of one."""

import os
import socket
import subprocess
import sys

import numpy as np
import pytest

from tests.tiny import tiny_model
from tests.training import test_following, test_loop, test_row_filter, test_terms

TRAININGS = {
    "contrast": lambda folder: test_loop.loop_of(folder, dropout=0.0, steps=4, official=True),
    "micro-batches": lambda folder: test_loop.loop_of(folder, dropout=0.0, steps=4, parts=3),
    "memory": lambda folder: test_loop.loop_of(folder, dropout=0.0, steps=4, memory_parts=2),
    "now one term, now another": lambda folder: test_terms.loop_of(
        folder, *test_terms.una(2), steps=4, **{"model.head": "mlp"}
    ),
    "many terms": test_terms.many,
    "adversarial views": test_following.many,
    "rows that changed": lambda folder: test_row_filter.loop_of(
        folder, dropout=0.0, steps=4, **{"augmenting.resample": True}
    ),
}


def steps(loop):
    """Loss, gradient norm and tokens of each step: Adam takes the same steps by a gradient of half the size. With several
    processes also how many of the backbone's messages left before the backward pass had ended."""
    exchange = loop.processes.exchange
    if exchange is None:
        return [(step.loss, step.gradient_norm, step.tokens) for step in loop.run()]
    exchange.bucket_bytes = 2000
    return [(step.loss, step.gradient_norm, step.tokens, exchange.early) for step in loop.run()]


SCRIPT = """
import sys
from pathlib import Path
import torch
from tests.training.test_two_processes import TRAININGS, steps
torch.set_num_threads(1)
for make in TRAININGS.values():
    print("STEPS", steps(make(Path(sys.argv[1]))), flush=True)
torch.distributed.destroy_process_group()  # else its threads may outlive the interpreter
"""


@pytest.mark.slow
def test_two_processes_take_the_steps_of_one(tmp_path):
    folder = tiny_model(tmp_path / "bert", "bert", "plain")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    shared = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2"}
    shared |= {"ACCELERATE_USE_CPU": "1", "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE", "PYTHONPATH": "."}
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(folder)],
            env={**shared, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    expected = [steps(make(folder)) for make in TRAININGS.values()]
    for worker in workers:
        told = worker.communicate(timeout=120)[0]
        assert worker.returncode == 0
        found = [eval(line.removeprefix("STEPS ")) for line in told.splitlines() if line.startswith("STEPS")]
        assert len(found) == len(expected)
        for ours, theirs in zip(found, expected, strict=True):
            *taken, early = zip(*ours, strict=True)
            assert len(ours) == 4 and np.allclose(np.transpose(taken), theirs, atol=1e-4, rtol=1e-3)
            # The first step finds out which parameters have gradients.
            assert early[0] == 0 and min(early[1:]) > 5
            assert len(ours) == 4 and np.allclose([one[:3] for one in ours], theirs, atol=1e-4, rtol=1e-3)
