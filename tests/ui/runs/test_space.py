"""What is drawn of a run before fine-tuning and after."""

import pytest

from tests.pages.trial import open_page
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


def test_pairs_of_the_hub_are_read_for_the_cone_when_that_is_asked_for(run, monkeypatch):
    """An imported run may name any data set: opening Runs must not ask the Hub for it."""
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    asked = []
    monkeypatch.setattr("workbench.data.hub._load", lambda name, *_: asked.append(name.id) or pytest.fail(name.id))
    config = api.settle(steps=20, **{"evaluation.pairs": ["hf:somebody/pairs"], "probe.pairs": "hf:somebody/pairs"})
    write_text(run.folder / names.CONFIG, to_toml(config))
    app = open_page("runs", run=run.id)
    assert not app.exception and not asked
    button = app.button(key=f"runs.pairs.{run.id}.ask")
    assert button.label == r"Read hf\:somebody/pairs from the Hub and draw the cone"


def test_a_backbone_that_is_not_here_is_downloaded_only_by_a_link_that_says_so(run, monkeypatch):
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    config = (run.folder / names.CONFIG).read_text().replace('"minilm-l3"', '"somebody/secret-model"')
    write_text(run.folder / names.CONFIG, config)
    links = {link.label: link.query_string for link in open_page("runs", run=run.id).get("page_link")}
    assert "somebody" in links["Compare with its backbone (downloads somebody/secret-model)"]
    assert "somebody" not in links["Explore its embedding space"]
