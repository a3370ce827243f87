"""The verdict of a run is the first thing that its panel says."""

import pytest

from tests.pages.trial import open_page, words_of
from tests.run_folders import make_run
from workbench.core.writing import write_json
from workbench.processes import liveness
from workbench.store import events, names

WORSE = {"pairs": "demo:test", "n": 1200, "selected": False, "before": 0.69, "kept": 0.65, "last": 0.65}
WORSE |= {"delta": -0.04, "low": -0.06, "high": -0.02, "verdict": "worse"}
TIED = {**WORSE, "pairs": "demo:dev", "low": -0.06, "high": 0.01, "verdict": "no_difference"}
BAD = {
    "verdict": "worse",
    "step": 20,
    "last": 20,
    "selected_on": [],
    "sets": [WORSE, TIED],
    "reasons": ["The <rate> is high."],
}


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    return names.runs_folder()


def test_a_bad_outcome_stands_before_the_state_with_its_reasons(runs):
    run = make_run(runs)
    write_json(run.folder / names.OUTCOME, BAD)
    app = open_page("runs", run=run.id)
    assert not app.exception
    said = words_of(app)
    first = said.index("Training made the ranking worse on demo:test: Spearman fell from 69.00 to 65.00")
    assert first < said.index("It is finished, evaluated and saved.")
    assert "On demo:dev it tied" in said and "The &lt;rate&gt; is high." in said and "<rate>" not in said


def test_the_curves_name_the_pairs_of_their_probes(runs):
    said = words_of(open_page("runs", run=make_run(runs).id))
    assert "In the probes on demo:dev, Spearman rose from 50.00 to 52.00." in said


def test_the_table_marks_the_kept_step_and_shows_it_once(runs):
    run = make_run(runs)
    columns = {"suite": "pairs", "pairs": "demo:dev", "n": 600, "spearman": 0.5, "low": 0.4, "high": 0.6}
    steps = {"step0": 0, "last": 20, "best": 20}
    rows = [{**columns, "checkpoint": name, "step": step} for name, step in steps.items()]
    write_json(run.folder / names.EVALUATIONS / "scores.json", rows)
    said = words_of(open_page("runs", run=run.id))
    assert "last<small> step 20, kept</small>" in said and "best<small>" not in said
    rows[-1]["step"] = 10
    write_json(run.folder / names.EVALUATIONS / "scores.json", rows)
    said = words_of(open_page("runs", run=run.id))
    assert "last<small> step 20</small>" in said and "best<small> step 10, kept</small>" in said


def test_scores_follow_the_curves_while_a_run_is_live_and_stand_before_them_in_the_end(runs):
    row = {"suite": "pairs", "pairs": "demo:dev", "n": 600, "spearman": 0.5, "checkpoint": "step0", "step": 0}
    live, done = make_run(runs, 1, state="queued"), make_run(runs, 2)
    for event in ("starting", "running"):
        events.add(live.folder, event, who=liveness.identity())
    for run, after in ((live, True), (done, False)):
        write_json(run.folder / names.EVALUATIONS / "scores.json", [row])
        said = words_of(open_page("runs", run=run.id))
        assert (said.index("before training<small> step 0") > said.index("probes on demo:dev, every")) == after
