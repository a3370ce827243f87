"""The position of a run in the queue, in words."""

import pytest

from tests.run_folders import make_run
from workbench import api
from workbench.recipes.settle import settle
from workbench.scheduler.queue import Queue
from workbench.store import names
from workbench.store.create import create
from workbench.ui.runs.queueing import queued_words, waits_for_others


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    return names.runs_folder()


def test_a_queued_run_says_how_many_are_ahead(runs):
    queued = [make_run(runs, number, state="queued") for number in range(3)]
    for run in queued:
        Queue(runs).add(run.id)
    assert queued_words(queued[0]).startswith("Queued: it starts as soon as")
    assert queued_words(queued[2]) == "Queued, 2 ahead."
    assert [run.id for run in api.ahead(queued[2])] == [run.id for run in queued[:2]]


def test_of_a_run_that_was_put_first_the_right_number_is_ahead(runs):
    queued = [make_run(runs, number, state="queued") for number in range(3)]
    for run in queued:
        Queue(runs).add(run.id)
    Queue(runs).claim(lambda _, asks: asks)
    assert not waits_for_others(queued[1]) and waits_for_others(queued[2])
    api.run_next(queued[2])
    assert queued_words(queued[2]) == "Queued, 1 ahead." and queued_words(queued[1]) == "Queued, 2 ahead."
    assert waits_for_others(queued[1]) and not waits_for_others(queued[2]), "what has begun goes on"


def test_times_are_told_once_a_similar_run_has_ended(runs, monkeypatch):
    queued = [make_run(runs, number, state="queued") for number in range(2)]
    for run in queued:
        Queue(runs).add(run.id)
    monkeypatch.setattr(api, "expected_seconds", lambda configs: 30.0 * len(configs))
    assert queued_words(queued[1]) == "Queued, 1 ahead. It should start in about 30 s. It should take about 30 s."
    monkeypatch.setattr(api, "expected_seconds", lambda configs: 0.0)
    assert queued_words(queued[1]) == "Queued, 1 ahead. It should start soon."


def test_a_run_whose_cluster_is_not_known_says_why_it_waits(runs, tmp_path, monkeypatch):
    file = tmp_path / "clusters.toml"
    monkeypatch.setenv("WORKBENCH_CLUSTERS", str(file))
    run = create(runs, settle("simcse_unsup"), on="hpc")
    Queue(runs).add(run.id, "hpc/auto")
    assert f"There is no cluster 'hpc': {file} names none." in queued_words(run)
    file.write_text("[hpc]\nkind = 'slurm'\n")
    assert queued_words(run).startswith("Queued: it starts as soon as the cluster hpc has room for it.")
