import pytest

from workbench import api
from workbench.core.errors import BadSetting
from workbench.jobs.peers import device_of


def test_each_process_has_a_gpu_of_its_own():
    known = ["cuda:0", "cuda:1", "cuda:2", "cpu"]
    assert [device_of(index, "cuda:1", known) for index in range(3)] == ["cuda:1", "cuda:0", "cuda:2"]
    assert device_of(5, "cpu", known) == "cpu"
    with pytest.raises(BadSetting, match="4 processes need as many GPUs"):
        device_of(3, "cuda:1", known)


@pytest.mark.slow
def test_a_run_of_two_processes_is_a_run(folder, tiny):
    settings = {"batch_size": 8, "steps": 4, "processes": 2, "selection.metric": "none"}
    run = api.train(
        backbone=str(tiny / "bert"), corpus=str(tiny / "corpus.txt"), runs=folder.path, device="cpu", **settings
    )
    assert run.state == "done"
    assert run.steps["step"].tolist() == [1, 2, 3, 4]
