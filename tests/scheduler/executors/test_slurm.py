"""Runs on a real Slurm cluster of two nodes on this machine: `python start.py cluster`."""

import json
import subprocess
import sys

import pytest

from tests.scheduler.executors.slurm_trial import missing, slurm
from tests.scheduler.test_processes import changes
from tests.trial import until
from workbench import api
from workbench.scheduler.executors.slurm import GRACE_SECONDS
from workbench.store import events, names

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]
LONG = 600
"""Steps of a run that something happens to."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    if why := missing():
        pytest.skip(why)
    with slurm(tmp_path_factory.mktemp("slurm") / "cluster") as trial:
        yield trial


@pytest.fixture
def there(cluster, folder, tmp_path, monkeypatch):
    """The file of clusters, with `hpc` in it; the cluster itself."""
    file = tmp_path / "clusters.toml"
    file.write_text(f'[hpc]\nkind = "slurm"\npython = "{sys.executable}"\njobs = 3\n')
    monkeypatch.setenv("WORKBENCH_CLUSTERS", str(file))
    monkeypatch.setenv("WORKBENCH_CHECKPOINT_SECONDS", "0.2")
    return cluster


@pytest.fixture(scope="module")
def undisturbed(tiny, warm):
    """The losses of the long run on this machine, when nothing happens to it."""
    return losses(api.train(runs=warm.path, steps=LONG, **changes(tiny)))


def losses(run):
    """Loss by step, as written."""
    rows = (run.folder / names.STEPS).read_text().splitlines()
    return {row["step"]: row["loss"] for row in map(json.loads, rows)}


def running(run, steps=30):
    until(lambda: run.state == "running" and run.progress.step > steps and "last" in run.checkpoints, 120)
    return run


def test_a_run_and_a_grid_go_through_the_cluster(there, folder, tiny):
    run = api.train(runs=folder.path, on="hpc", steps=5, **changes(tiny))
    assert run.state == "done" and run.recorded_status.on == "hpc" and "Slurm" not in run.log()
    sweep = api.grid(
        "simcse_unsup", {"temperature": [0.03, 0.05]}, seeds=2, on="hpc", runs=folder.path, steps=3, **changes(tiny)
    )
    until(lambda: api.sweep(sweep.id, runs=folder.path).states == {"done": 4}, 240)
    said = subprocess.run(["squeue", "--noheader", "--states=all", "--format=%j"], capture_output=True, text=True)
    assert {f"{one.id}.1" for one in (run, *api.sweep(sweep.id, runs=folder.path).runs.values())} <= set(
        said.stdout.split()
    )


def test_a_run_is_stopped_and_resumed(there, folder, tiny, undisturbed):
    run = running(api.train(runs=folder.path, on="hpc", detach=True, steps=LONG, **changes(tiny)))
    api.stop(run)
    until(lambda: run.state == "stopped", 60)
    assert run.checkpoints["last"]["step"] == run.progress.step < LONG
    api.resume(run)
    until(lambda: run.state == "done", 200)
    assert losses(run) == undisturbed and run.status.attempt == 2


def test_a_signal_of_the_cluster_reaches_the_worker_and_the_run_goes_on(there, folder, tiny, undisturbed):
    """As 120 seconds before its time is up."""
    run = running(api.train(runs=folder.path, on="hpc", detach=True, steps=LONG, **changes(tiny)))
    said = subprocess.run(["scontrol", "show", "job", f"--name={run.id}.1"], capture_output=True, text=True)
    assert GRACE_SECONDS == 120 and said is not None
    subprocess.run(["scancel", "--batch", "--signal=TERM", f"--name={run.id}.1"], check=True)
    until(lambda: run.status.attempt == 2, 60)
    until(lambda: run.state == "done", 200)
    assert losses(run) == undisturbed
    assert [row["kind"] for row in run.events if row["event"] == events.STOPPED] == [events.SIGNALLED]


def test_a_node_that_fails_in_mid_run_costs_nothing(there, folder, tiny, undisturbed):
    run = running(api.train(runs=folder.path, on="hpc", detach=True, steps=LONG, **changes(tiny)))
    said = subprocess.run(
        ["squeue", "--noheader", f"--name={run.id}.1", "--format=%N"], capture_output=True, text=True, check=True
    )
    node = said.stdout.strip()
    there.kill(node)
    until(lambda: [row for row in run.events if row["event"] in (events.REQUEUED, events.RETRIED)], 120)
    until(lambda: run.state == "done", 240)
    assert losses(run) == undisturbed
    there.start_node(node)


def test_the_controller_may_be_away_for_a_while(there, folder, tiny, undisturbed):
    run = running(api.train(runs=folder.path, on="hpc", detach=True, steps=LONG, **changes(tiny)), 5)
    there.kill("controller")
    late = api.train(runs=folder.path, on="hpc", detach=True, steps=3, **changes(tiny))
    until(lambda: run.progress.step > 50, 60)
    assert run.state == "running" and late.state == "queued"
    there.start_controller()
    until(lambda: late.state == run.state == "done", 240)
    assert losses(run) == undisturbed


def test_a_mistake_in_the_file_is_what_slurm_says_of_it(there, folder, tiny, tmp_path):
    (tmp_path / "clusters.toml").write_text('[hpc]\nkind = "slurm"\npartition = "nowhere"\n')
    run = api.train(runs=folder.path, on="hpc", detach=True, steps=3, **changes(tiny))
    until(lambda: run.state == "failed", 60)
    assert run.failure[0] == "Refused" and "partition" in run.failure[1]


def test_a_stop_takes_a_waiting_job_out_of_the_queue_of_the_cluster(there, folder, tiny, tmp_path):
    file = tmp_path / "clusters.toml"
    file.write_text(file.read_text() + 'options = ["--hold"]\n')
    run = api.train(runs=folder.path, on="hpc", detach=True, steps=3, **changes(tiny))
    listed = ["squeue", "--noheader", "--format=%j"]
    until(lambda: f"{run.id}.1" in subprocess.run(listed, capture_output=True, text=True).stdout, 60)
    assert run.state == "queued"
    api.stop(run)
    until(lambda: run.state == "stopped", 60)
    until(lambda: f"{run.id}.1" not in subprocess.run(listed, capture_output=True, text=True).stdout, 60)
