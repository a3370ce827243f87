"""The file of clusters: what it may say, and one clear message for each mistake."""

import pytest

from workbench import api
from workbench.core.errors import BadSetting, UnknownName
from workbench.scheduler import clusters
from workbench.scheduler.executors.ray_jobs import RayCluster
from workbench.scheduler.executors.slurm import SlurmCluster

TWO = """
[hpc]
kind = "slurm"
partition = "gpu"
options = ["--constraint=a100"]
jobs = 40
[lab]
kind = "ray"
gpus = 0.5
resources = {big = 1}
"""


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Writes the file of clusters."""
    path = tmp_path / "clusters.toml"
    monkeypatch.setenv("WORKBENCH_CLUSTERS", str(path))
    return path.write_text


def test_without_a_file_there_are_none_and_this_machine_has_a_name(written):
    assert clusters.clusters() == {} and clusters.chosen("local") == clusters.chosen("") == ""


def test_each_kind_has_its_settings(written):
    written(TWO)
    found = clusters.clusters()
    assert found["hpc"] == SlurmCluster(partition="gpu", options=("--constraint=a100",), jobs=40)
    assert found["lab"] == RayCluster(gpus=0.5, resources={"big": 1.0}) and clusters.chosen("lab") == "lab"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[hpc", "not valid TOML"),
        ("hpc = 3", "is a section with kind"),
        ("[hpc]\njobs = 3", "no known kind"),
        ("[hpc]\nkind = 'pbs'", r"'slurm' or 'ray'. Got: 'pbs'"),
        ("[hpc]\nkind = 'slurm'\npartitions = 'a'", "partitions: there is no such key"),
        ("[hpc]\nkind = 'slurm'\njobs = 0", "jobs: it must be greater than or equal to 1"),
        ("[hpc]\nkind = 'slurm'\njobs = '3'", "jobs: it is a whole number. Got: '3'"),
        ("[lab]\nkind = 'ray'\nstale_seconds = 1", "stale_seconds"),
        ("[hpc]\nkind = 'slurm'\ngpus = -1", "gpus: it must be greater than or equal to 0. Got: -1"),
        (
            "[lab]\nkind = 'ray'\nresources = {big = -1}",
            r"resources\.big: it must be greater than or equal to 0. Got: -1",
        ),
        ("[hpc]\nkind = 'slurm'\npython = ''", "python: it is the path of a program, such as .*python. Got: ''"),
        ("[lab]\nkind = 'ray'\npython = ' '", "python: it is the path of a program"),
        (
            "[hpc]\nkind = 'slurm'\nenvironment = {'A B' = 'x'}",
            r"environment\.A B: the name of a variable has .*Got: 'A B'",
        ),
        ("[lab]\nkind = 'ray'\nenvironment = {'1A' = 'x'}", r"environment\.1A: the name of a variable"),
        ("[lab]\nkind = 'ray'\nenvironment = {'' = 'x'}", "the name of a variable"),
        ("[local]\nkind = 'slurm'", "cannot be named 'local'"),
        ("['a b']\nkind = 'slurm'", "cannot be named 'a b'"),
    ],
)
def test_every_mistake_has_a_message(written, text, message):
    written(text)
    with pytest.raises(BadSetting, match=message):
        clusters.clusters()


def test_a_run_for_an_unknown_cluster_is_not_queued(written, folder):
    written(TWO)
    with pytest.raises(UnknownName, match="Did you mean hpc"):
        api.train(on="hpcc", runs=folder.path, detach=True, steps=1)
    assert not folder.run_folders()


@pytest.mark.parametrize("text", [None, "", "# being edited\n"])
def test_a_file_that_names_no_cluster_is_told_from_one_without_this_one(written, text):
    if text is not None:
        written(text)
    with pytest.raises(BadSetting, match=r"There is no cluster 'hpc': .*clusters\.toml names none"):
        clusters.cluster("hpc")
    written(TWO)
    with pytest.raises(UnknownName):
        clusters.cluster("hpcc")


def test_the_doctor_asks_each_cluster(written, folder, monkeypatch):
    written("[lab]\nkind = 'ray'\naddress = 'http://127.0.0.1:9'\n")
    rows = {row["check"]: row for row in api.doctor(runs=folder.path).to_dict("records")}
    assert rows["Cluster lab"]["state"] == "problem" and "does not answer" in rows["Cluster lab"]["finding"]
    monkeypatch.setattr(clusters, "answer_of", lambda name: f"{name} answers")
    rows = {row["check"]: row for row in api.doctor(runs=folder.path).to_dict("records")}
    assert rows["Cluster lab"]["finding"] == "lab answers" and rows["Shared folder"]["state"] == "note"
    written("[lab")
    rows = {row["check"]: row for row in api.doctor(runs=folder.path).to_dict("records")}
    assert "not valid TOML" in rows["Clusters"]["finding"]
