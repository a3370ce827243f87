"""Targets on one pair set as one table."""

from types import SimpleNamespace

import pytest

from workbench.api import measuring


@pytest.mark.parametrize(
    ("known", "said"), [({"linked_groups": 27}, True), ({"linked_groups": 459}, False), ({}, False)]
)
def test_where_sentences_recur_a_notice_says_so_once(monkeypatch, known, said):
    row = dict.fromkeys(("alignment", "uniformity", "mean_cosine", "spearman", "low", "high", "max_length"), 0.1)
    row |= {"pairs": "own", "n": 459, "alignment_on": "", "collapsed": False, "precision": "fp32", "fitted_on": ""}
    row |= {"notices": [], **known}

    def submit(verb, *, target, **about):
        return SimpleNamespace(wait=lambda follow: SimpleNamespace(scores={**row, "target": target}))

    monkeypatch.setattr(measuring, "submit", submit)
    table = measuring.compare(["one", "other"], pairs="own")
    rule = "Sentences recur: 459 pairs form 27 groups, and intervals that treat pairs as independent can be too narrow."
    assert table.attrs["notices"] == ([rule] if said else [])
