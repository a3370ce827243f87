"""Targets on one pair set as one table."""

from types import SimpleNamespace

import pytest

from tests.run_folders import make_run
from workbench.api import measuring
from workbench.store.names import runs_folder
from workbench.targets.target import CHOSEN


@pytest.mark.parametrize(
    ("known", "said"), [({"linked_groups": 27}, True), ({"linked_groups": 459}, False), ({}, False)]
)
def test_where_sentences_recur_a_notice_says_so_once(monkeypatch, known, said):
    row = dict.fromkeys(("alignment", "uniformity", "mean_cosine", "spearman", "low", "high"), 0.1) | {"max_length": 64}
    row |= {"pairs": "own", "n": 459, "alignment_on": "", "collapsed": False, "precision": "fp32", "fitted_on": ""}
    row |= {"notices": [], **known}

    def submit(verb, *, target, **about):
        return SimpleNamespace(wait=lambda follow: SimpleNamespace(scores={**row, "target": target}))

    monkeypatch.setattr(measuring, "submit", submit)
    table = measuring.compare(["minilm-l3", "mini-mlm"], pairs="own")
    rule = "Sentences recur: 459 pairs form 27 groups, and intervals that treat pairs as independent can be too narrow."
    assert table.attrs["notices"] == ([rule] if said else [])


def test_a_step_that_was_chosen_on_the_pairs_is_said_to_be(monkeypatch, tmp_path):
    folder = runs_folder(tmp_path / "runs")
    run = make_run(folder)
    row = dict.fromkeys(("alignment", "uniformity", "mean_cosine", "spearman", "low", "high"), 0.1) | {"max_length": 64}
    row |= {"pairs": "demo:dev", "n": 600, "alignment_on": "", "collapsed": False, "precision": "fp32", "fitted_on": ""}

    def submit(verb, *, target, **about):
        return SimpleNamespace(wait=lambda follow: SimpleNamespace(scores={**row, "notices": [], "target": target}))

    monkeypatch.setattr(measuring, "submit", submit)
    targets = [run.id, "minilm-l3", f"{run.id}@last"]
    table = measuring.compare(targets, pairs="demo:dev", runs=folder.path)
    assert table.attrs["notices"] == [f"{run.id}: {CHOSEN}"]
    assert measuring.compare(targets, pairs="demo:test", runs=folder.path).attrs["notices"] == []
