"""What is drawn of a run before fine-tuning and after."""

import pytest

from tests.run_folders import make_run
from tests.ui.runs.test_outcome import BAD
from workbench import api
from workbench.core.config import to_toml
from workbench.core.writing import write_json, write_text
from workbench.store import names
from workbench.ui.runs.space import compared, ranked_pairs


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path))
    return make_run(names.runs_folder())


def test_where_step_0_is_kept_the_last_step_stands_beside_it(run):
    assert compared(run) == {"Before fine-tuning": "step0", "After": "best"}
    write_json(run.folder / names.CHECKPOINTS / "best" / names.STATE, {"step": 0, "samples": 0})
    assert compared(api.run(run.folder)) == {"Before fine-tuning": "step0", "After step 20, not kept": "last"}


def test_the_ranking_is_drawn_on_the_pairs_of_the_headline(run):
    config = api.settle(steps=20, **{"evaluation.pairs": ["demo:test", "/there/tickets.tsv"]})
    write_text(run.folder / names.CONFIG, to_toml(config))
    evaluated = ["demo:test", "tickets.tsv", "demo:dev"]
    assert ranked_pairs(api.run(run.folder), evaluated) == "tickets.tsv", "the last that was asked for"
    write_json(run.folder / names.OUTCOME, {**BAD, "sets": [{**BAD["sets"][0], "pairs": "demo:test"}]})
    assert ranked_pairs(api.run(run.folder), evaluated) == "demo:test"
    assert ranked_pairs(api.run(run.folder), ["demo:traps"]) == "demo:traps"
