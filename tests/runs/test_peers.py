import os
import subprocess
import sys

import psutil
import pytest
import torch

from tests.runs.trial import new, working
from tests.trial import until
from workbench import api
from workbench.core.errors import BadSetting
from workbench.processes import service
from workbench.runs import driver, peers, worker
from workbench.runs.meeting import leave_failure, loopback
from workbench.runs.peers import Peers, node_device, process_devices
from workbench.store import leftovers, names
from workbench.training.loop import Loop


def test_each_process_has_a_gpu_of_its_own(monkeypatch):
    monkeypatch.setattr("workbench.core.device.available", lambda: ["cuda:0", "cuda:1", "cuda:2", "cpu"])
    assert process_devices(["cuda:1"], 3) == ["cuda:1", "cuda:0", "cuda:2"]
    assert process_devices(["cuda:0", "cuda:2"], 2) == ["cuda:0", "cuda:2"]
    assert process_devices(["cuda:2"], 1) == ["cuda:2"] and process_devices(["cpu"], 3) == ["cpu"] * 3
    with pytest.raises(BadSetting, match="4 processes need as many GPUs"):
        process_devices(["cuda:1"], 4)


def test_a_process_that_a_cluster_started_takes_its_own_gpu(monkeypatch):
    monkeypatch.setenv("SLURM_LOCALID", "1")
    monkeypatch.setattr("workbench.core.device.available", lambda: ["cuda:0", "cuda:1", "cpu"])
    assert (node_device("cuda:0"), node_device("cpu")) == ("cuda:1", "cpu")
    monkeypatch.setattr("workbench.core.device.available", lambda: ["cuda:0", "cpu"])
    assert node_device("cuda:0") == "cuda:0"


def test_processes_of_one_cpu_share_its_cores_and_its_memory(folder, tiny, monkeypatch):
    threads = torch.get_num_threads()
    monkeypatch.setenv("OMP_NUM_THREADS", "6")
    asked = []
    monkeypatch.setattr("workbench.training.dryrun.estimate", lambda loop, beside: asked.append(beside))
    try:
        for processes, meeting, each, beside in (
            (1, None, 6, 0),
            (3, None, 2, 2),
            (8, None, 1, 7),
            (3, folder.path, 6, 0),
        ):
            run = new(folder, tiny, processes=processes)
            driven = driver.Driver(worker.Worker(run, "cpu", meeting=meeting).context())
            driven.choose_device()
            assert driven.context.threads == torch.get_num_threads() == each
            driven.kind.loop = None
            driven.kind.estimate()
            assert asked[-1] == beside
    finally:
        torch.set_num_threads(threads)


def test_where_processes_met_is_swept_and_their_first_process_is_named_to_them(folder, tiny, monkeypatch):
    """Both matter once that one is killed: it removes nothing then, and may be gone before they look for it."""
    run, spawned = new(folder, tiny), []

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(peers.service, "spawn", lambda *given, **_: spawned.append(given))
    monkeypatch.setattr(peers.meetings, "join", killed)
    made = Peers()
    with pytest.raises(KeyboardInterrupt):
        made.start(run.folder, ["cpu", "cpu"], threads=1, wait=int)
    assert made.meeting.is_dir() and made.meeting.parent == run.folder
    assert spawned[0][spawned[0].index("--parent") + 1] == str(os.getpid())
    leftovers.sweep_run(run.folder)
    assert not made.meeting.exists()


def test_a_process_whose_first_one_was_killed_during_its_imports_ends(folder, tiny, monkeypatch):
    run = new(folder, tiny)
    (run.folder / "meeting").mkdir()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    about = ["--meeting", str(run.folder / "meeting"), "--rank", "1", "--parent", str(gone.pid)]
    process = service.spawn("workbench.runs.peers", str(run.folder), *about, log=run.folder / names.LOG, threads=1)
    try:
        assert process.wait(60) == 1
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_run_of_two_processes_is_a_run(folder, tiny):
    """And none of them listens to the network."""
    settings = {"batch_size": 8, "steps": 30, "processes": 2, "selection.metric": "none", "probe.every": 10_000}
    run = api.train(
        backbone=str(tiny / "bert"),
        corpus=str(tiny / "corpus.txt"),
        runs=folder.path,
        device="cpu",
        detach=True,
        **settings,
    )
    until(lambda: run.progress.step > 2 or not run.live)
    assert run.state == "running", run.log()
    worker = psutil.Process(run.status.who["pid"])
    open_to = set()
    for process in (worker, *worker.children()):
        sockets = process.net_connections(kind="inet")
        open_to |= {one.laddr.ip.removeprefix("::ffff:") for one in sockets if one.status == psutil.CONN_LISTEN}
    assert len(worker.children()) == 1 and open_to <= {"127.0.0.1", "::1"}
    until(lambda: not run.live, 120)
    assert run.state == "done", run.log()
    assert run.steps["step"].tolist() == list(range(1, 31))


class Elsewhere(Peers):
    """Others that a cluster started: they came, and are gone."""

    def __init__(self, note):
        super().__init__()
        self.note = note

    def await_others(self, meeting, count, device, wait):
        self.meeting = meeting
        meeting.mkdir()
        if self.note:
            leave_failure(meeting, *self.note)

    def start(self, *_, **__):
        raise AssertionError("the cluster starts them")


@pytest.mark.parametrize("note", [(), ("OutOfMemory", "Memory ran out.")])
def test_a_run_without_its_other_processes_is_taken_up_again_and_fails_if_they_say_why(folder, tiny, monkeypatch, note):
    run = new(folder, tiny, processes=2, batch_size=8)
    monkeypatch.setattr(driver, "Peers", lambda: Elsewhere(note))

    def broken(*_):
        raise RuntimeError("[../gloo/transport/tcp/pair.cc:553] Connection closed by peer [10.0.0.5]:9")

    monkeypatch.setattr(Loop, "queued", broken)
    meeting = run.folder / ".peers-7.tmp"
    with working():
        code = worker.main([str(run.folder), "--device", "cpu", "--attempt", "1", "--meeting", str(meeting)])
    assert not meeting.exists()
    if note:
        assert code == 0 and run.failure == note
    else:
        assert code == 1 and run.recorded_status.state == "running", "nothing is recorded: its job ends"


def test_a_worker_ends_with_its_parent_where_it_should(folder, tiny, monkeypatch):
    monkeypatch.setattr(worker, "PARENT_SECONDS", 0.5)
    told = worker.Worker(new(folder, tiny), "cpu", 1, parent=os.getppid() + 1)
    codes = []
    told.leave, told.nothing_to_keep = codes.append, False
    with working(), told:
        until(lambda: codes == [1], 10)
    assert told.asked.is_set() and told.signalled


def test_the_interface_within_the_machine_has_a_name():
    assert any(one.address == "127.0.0.1" for one in psutil.net_if_addrs()[loopback()])
