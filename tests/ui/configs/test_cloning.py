"""The way out of a run whose configuration cannot be read, and of a name that no run has."""

from urllib.parse import parse_qs

import pytest

from tests.pages.trial import open_page, words_of
from tests.run_folders import make_run
from workbench import api
from workbench.core.config import to_toml
from workbench.core.writing import write_json, write_text
from workbench.store import names

CLONE = "Clone: change settings and run again"


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    return names.runs_folder()


@pytest.fixture
def damaged(runs):
    run = make_run(runs)
    text = to_toml(api.settle(backbone="minilm-l3", steps=7, batch_size=12, corpus="demo:triplets"))
    write_text(run.folder / names.CONFIG, text.replace("batch_size = 12", "batch_size = = 12"))
    return run


def links(app):
    """The links of a page by label: the page they open, and its address."""
    found = {}
    for link in app.get("page_link"):
        found[link.proto.label] = (link.proto.page, parse_qs(link.proto.query_string, keep_blank_values=True))
    return found


@pytest.mark.parametrize(
    ("page", "key"), [("runs", "run"), ("explore", "target"), ("explore", "beside"), ("compare", "targets")]
)
def test_a_damaged_run_is_named_with_a_link_that_sets_it_up_again(runs, answers, damaged, page, key):
    app = open_page(page, **{key: damaged.id})
    assert not app.exception
    assert [error.value for error in app.error if "cannot be read" in error.value], "it is named"
    assert len([error for error in app.error if damaged.id in error.value]) == 1, "once"
    opened, address = links(app)[CLONE]
    assert opened == "train" and address["recipe"] == ["simcse_unsup"] and address["backbone"] == ["minilm-l3"]
    assert address["demo"] == ["demo:triplets"] and "training.steps=7" in address["set"]
    assert "left as recipe and backbone set it: batch_size" in words_of(app)
    form = open_page("train", **{name: values for name, values in address.items() if any(values)})
    assert not form.exception and "7 steps of 64 texts" in words_of(form)


def test_a_run_without_a_readable_recipe_says_so(runs, answers):
    run = make_run(runs)
    write_text(run.folder / names.CONFIG, "[[[[")
    app = open_page("runs", run=run.id)
    assert not app.exception and CLONE not in links(app)
    assert "Not even its recipe can be read" in words_of(app)


def test_a_damaged_corpus_report_has_the_link_below_it(runs, answers):
    run = make_run(runs)
    write_json(run.folder / names.CORPUS, {"texts": 5})
    app = open_page("runs", run=run.id)
    assert "A clone of the run writes a new one." in words_of(app)
    assert len([link for link in app.get("page_link") if link.proto.label == CLONE]) == 2


@pytest.mark.parametrize(("page", "key"), [("explore", "target"), ("compare", "targets")])
def test_a_name_that_no_run_has_comes_with_a_link_to_runs(runs, answers, page, key):
    app = open_page(page, **{key: "20260101-000000-gone-away-s0-dead"})
    assert not app.exception and "Not in this runs folder" in words_of(app)
    assert links(app)["Go to Runs"][0] == "runs"
