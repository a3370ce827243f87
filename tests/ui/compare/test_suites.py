"""Tables of suites."""

import pandas

from workbench.evaluation import METHODS
from workbench.ui.compare import suites


def test_tasks_in_which_sentences_recur_are_named_in_the_footing(monkeypatch):
    said = []
    monkeypatch.setattr(suites, "footing", said.append)
    table = pandas.DataFrame({"task": ["sts12", "stsb"], "n": [3108, 1379], "official": True})
    suites._footing(METHODS["sts"], {"tfidf": table.assign(linked_groups=[2063, 1379])}, [])
    suites._footing(METHODS["sts"], {"tfidf": table}, [])
    assert "sentences recur: 3,108 pairs of sts12 form 2,063 groups, and" in said[0] and "of stsb" not in said[0]
    assert "recur" not in said[1], "an older answer"
