"""One run whose processes lie on different nodes of a real Slurm or Ray cluster: `WORKBENCH_RAY=FOLDER python start.py cluster`.

The nodes have one core each, so two processes cannot lie on one of them; a third node is there to go on with.
"""

import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import psutil
import pytest

from tests.fire import field
from tests.scheduler.executors import ray_trial, slurm_trial
from tests.scheduler.executors.test_slurm import losses
from tests.scheduler.test_processes import changes
from tests.trial import until
from workbench import api
from workbench.store import events

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]
STEPS = 300
NODES = ("n1", "n2", "n3")
ROOT = Path(__file__).resolve().parents[3]


class Slurm:
    """Three nodes of Slurm."""

    file = f'[there]\nkind = "slurm"\npython = "{sys.executable}"\nnodes = 2\n'

    def __init__(self, trial):
        self.trial = trial

    def node_of(self, process):
        return process.environ()["SLURMD_NODENAME"]

    def take(self, node):
        self.trial.kill(node)

    def give(self, node):
        self.trial.start_node(node)
        until(lambda: self.trial.nodes_that_answer() == set(NODES), 60)

    def stop(self, job):
        subprocess.run(["scancel", "--batch", "--signal=TERM", f"--name={job}"], check=True)


class Ray:
    """Three nodes of Ray, and a head that computes nothing."""

    def __init__(self, trial):
        self.trial = trial
        about = {"python": sys.executable, "address": trial.address, "token_file": str(trial.token)}
        lines = [f'{name} = "{value}"' for name, value in about.items()]
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("WORKBENCH_RAY")]))
        lines += ["nodes = 2", f'environment = {{ PYTHONPATH = "{path}" }}']
        self.file = "\n".join(['[there]\nkind = "ray"', *lines, ""])

    def node_of(self, process):
        lines = [" ".join(above.cmdline()) for above in process.parents()]
        return next(name for name in NODES if any(f"{name},1" in line for line in lines))

    def take(self, node):
        self.trial.remove(node)

    def give(self, node):
        self.trial.add(node)

    def stop(self, job):
        request = urllib.request.Request(f"{self.trial.address}/api/jobs/{job}/stop", b"{}", method="POST")
        request.add_header("Authorization", f"Bearer {self.trial.token.read_text()}")
        urllib.request.urlopen(request, timeout=30).close()


@pytest.fixture(scope="module", params=["slurm", "ray"])
def cluster(request, tmp_path_factory):
    trials = {"slurm": slurm_trial, "ray": ray_trial}
    if why := trials[request.param].missing():
        pytest.skip(why)
    place = tmp_path_factory.mktemp(request.param) / "cluster"
    if request.param == "slurm":
        with slurm_trial.slurm(place, nodes=3, cpus=1) as trial:
            yield Slurm(trial)
    else:
        with ray_trial.ray(place, NODES) as trial:
            yield Ray(trial)


@pytest.fixture
def there(cluster, folder, tmp_path, monkeypatch):
    file = tmp_path / "clusters.toml"
    file.write_text(cluster.file)
    monkeypatch.setenv("WORKBENCH_CLUSTERS", str(file))
    monkeypatch.setenv("WORKBENCH_CHECKPOINT_SECONDS", "0.2")
    return cluster


@pytest.fixture(scope="module")
def alone(tiny, warm):
    """One process on this machine."""
    return losses(api.train(runs=warm.path, **settings(tiny, processes=1)))


@pytest.fixture(scope="module")
def together(tiny, warm):
    """Two processes on this machine."""
    return losses(api.train(runs=warm.path, **settings(tiny)))


def settings(tiny, *, processes=2, steps=STEPS):
    """Without dropout, whose draws each process makes for its own rows."""
    return {"steps": steps, "processes": processes, "dropout": 0.0, "accept": True, **changes(tiny)}


def both(run, steps=30):
    """The worker and its peer, in the middle of the run."""
    until(lambda: run.state == "running" and run.progress.step > steps and "last" in run.checkpoints, 120)
    first = psutil.Process(run.status.who["pid"])
    return first, next(one for one in processes_of(run) if "workbench.runs.peers" in one.cmdline())


def processes_of(run):
    """All processes of a run, wherever they are."""
    found = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
        except psutil.Error:
            continue
        if str(run.folder) in words and any(word.startswith("workbench.runs.") for word in words):
            found.append(process)
    return found


def test_a_run_spans_two_nodes_and_takes_the_steps_of_one_process(there, folder, tiny, alone, together):
    run = api.train(runs=folder.path, on="there", detach=True, **settings(tiny))
    first, peer = both(run)
    assert there.node_of(first) != there.node_of(peer)
    api.stop(run)
    until(lambda: run.state == "stopped", 60)
    until(lambda: not processes_of(run), 30)
    assert run.checkpoints["last"]["step"] == run.progress.step < STEPS
    api.resume(run)
    until(lambda: run.state == "done", 200)
    assert losses(run) == together and np.allclose(
        list(losses(run).values()), list(alone.values()), atol=1e-4, rtol=1e-3
    )
    until(lambda: not processes_of(run), 30)
    assert not field.left_over(run.folder) and run.status.attempt == 2


@pytest.mark.parametrize("whose", ["of the first process", "of another process"])
def test_a_node_that_is_taken_away_costs_nothing(there, folder, tiny, together, whose):
    run = api.train(runs=folder.path, on="there", detach=True, **settings(tiny))
    lost = both(run)[whose == "of another process"]
    before, node = processes_of(run), there.node_of(lost)
    there.take(node)
    until(lambda: [row for row in run.events if row["event"] in (events.RETRIED, events.REQUEUED)], 120)
    until(lambda: run.state == "done", 240)
    assert losses(run) == together
    until(lambda: not [one for one in before if one.is_running() and one.status() != psutil.STATUS_ZOMBIE], 30)
    assert not processes_of(run) and not field.left_over(run.folder)
    there.give(node)


def test_what_the_cluster_tells_to_end_saves_a_checkpoint_and_goes_on(there, folder, tiny, together):
    run = api.train(runs=folder.path, on="there", detach=True, **settings(tiny))
    both(run)
    there.stop(f"{run.id}.1")
    until(lambda: run.status.attempt == 2, 60)
    (stopped,) = [row for row in run.events if row["event"] == events.STOPPED]
    assert stopped["kind"] == events.SIGNALLED
    until(lambda: run.state == "done", 200)
    assert losses(run) == together and f"Resumes from step {stopped['step']}." in run.log()


def test_a_process_that_is_killed_is_no_failure(there, folder, tiny, together):
    run = api.train(runs=folder.path, on="there", detach=True, **settings(tiny))
    both(run)[1].kill()
    until(lambda: [row for row in run.events if row["event"] == events.RETRIED], 120)
    until(lambda: run.state == "done", 200)
    assert losses(run) == together and run.status.attempt == 2
