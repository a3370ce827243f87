"""What a run's figures say where there is nothing to draw."""

import json

import pytest

from tests.pages.trial import open_page, words_of
from tests.run_folders import make_run
from workbench import api
from workbench.core.config import to_toml
from workbench.core.writing import write_text
from workbench.store import names
from workbench.ui.runs.curves import when_probed


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    return names.runs_folder()


def probed(run, **changes):
    rows = [{**json.loads(line), **changes} for line in (run.folder / names.PROBES).read_text().splitlines()]
    write_text(run.folder / names.PROBES, "".join(json.dumps(row) + "\n" for row in rows))


def test_probes_without_pairs_are_named(runs):
    run = make_run(runs)
    config = api.settle(steps=20, **{"probe.pairs": "", "selection.metric": "none"})
    write_text(run.folder / names.CONFIG, to_toml(config))
    probed(run, spearman=None, pairs="", alignment_on="dropout pairs of the corpus, rate 0.1")
    app = open_page("runs", run=run.id)
    assert not app.exception
    assert "probes on texts of the corpus, since no scored pairs are set, every" in words_of(app)


def test_pairs_without_partners_give_no_path_and_say_why(runs):
    run = make_run(runs)
    probed(run, alignment=None)
    said = words_of(open_page("runs", run=run.id))
    assert "There is no path on the plane: demo:dev has no positive pairs" in said
    assert "begins with the first probe" not in said


@pytest.mark.parametrize(("state", "said"), [("queued", "start with the first step"), ("failed", "It ended before")])
def test_a_run_without_steps_says_whether_any_will_come(runs, state, said):
    run = make_run(runs, state=state, steps=20)
    for name in (names.STEPS, names.PROBES):
        (run.folder / name).unlink()
    assert said in words_of(open_page("runs", run=run.id))


@pytest.mark.parametrize(
    ("probe", "selection", "pairs", "said"),
    [
        (10, 5, ("demo:dev",), "every 5 steps and at the end"),
        (10, 25, ("demo:dev",), "every 10 and 25 steps and at the end"),
        (10, 20, ("demo:dev",), "every 10 steps and at the end"),
        (10, 5, (), "every 10 steps and at the end"),
        (10, 1, ("demo:dev",), "at every step"),
        (1000, 25, (), "every 1,000 steps and at the end"),
    ],
)
def test_the_steps_of_probes_include_those_at_which_the_best_is_chosen(runs, probe, selection, pairs, said):
    changes = {"probe.every": probe, "selection.every": selection, "selection.pairs": pairs}
    run = make_run(runs, steps=50)
    write_text(run.folder / names.CONFIG, to_toml(api.settle(steps=50, **changes)))
    assert when_probed(run) == said


def test_a_run_that_was_stopped_says_its_last_probe(runs):
    run = make_run(runs, state="stopped", steps=20)
    write_text(run.folder / names.CONFIG, to_toml(api.settle(steps=200, **{"probe.every": 10, "selection.every": 10})))
    assert when_probed(run) == "every 10 steps, the last at step 20"
    resumed = make_run(runs, 1, state="queued", steps=20)
    write_text(
        resumed.folder / names.CONFIG, to_toml(api.settle(steps=200, **{"probe.every": 10, "selection.every": 10}))
    )
    assert when_probed(resumed) == "every 10 steps and at the end"
