import psutil
import pytest

from tests.trial import until
from workbench import api
from workbench.core.errors import BadSetting
from workbench.runs.peers import loopback, process_devices


def test_each_process_has_a_gpu_of_its_own(monkeypatch):
    monkeypatch.setattr("workbench.core.device.available", lambda: ["cuda:0", "cuda:1", "cuda:2", "cpu"])
    assert process_devices(["cuda:1"], 3) == ["cuda:1", "cuda:0", "cuda:2"]
    assert process_devices(["cuda:0", "cuda:2"], 2) == ["cuda:0", "cuda:2"]
    assert process_devices(["cuda:2"], 1) == ["cuda:2"] and process_devices(["cpu"], 3) == ["cpu"] * 3
    with pytest.raises(BadSetting, match="4 processes need as many GPUs"):
        process_devices(["cuda:1"], 4)


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


def test_the_interface_within_the_machine_has_a_name():
    assert any(one.address == "127.0.0.1" for one in psutil.net_if_addrs()[loopback()])
