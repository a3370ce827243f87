import pytest

from workbench import api
from workbench.core.errors import BadSetting
from workbench.jobs.peers import places


def test_each_process_has_a_gpu_of_its_own(monkeypatch):
    monkeypatch.setattr("workbench.core.device.available", lambda: ["cuda:0", "cuda:1", "cuda:2", "cpu"])
    assert places(["cuda:1"], 3) == ["cuda:1", "cuda:0", "cuda:2"]
    assert places(["cuda:0", "cuda:2"], 2) == ["cuda:0", "cuda:2"]
    assert places(["cuda:2"], 1) == ["cuda:2"] and places(["cpu"], 3) == ["cpu"] * 3
    with pytest.raises(BadSetting, match="4 processes need as many GPUs"):
        places(["cuda:1"], 4)


@pytest.mark.slow
def test_a_run_of_two_processes_is_a_run(folder, tiny):
    settings = {"batch_size": 8, "steps": 4, "processes": 2, "selection.metric": "none"}
    run = api.train(
        backbone=str(tiny / "bert"), corpus=str(tiny / "corpus.txt"), runs=folder.path, device="cpu", **settings
    )
    assert run.state == "done"
    assert run.steps["step"].tolist() == [1, 2, 3, 4]
