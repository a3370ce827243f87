"""What is asked about a corpus before training."""

import pytest

from workbench.recipes import settle
from workbench.ui.train import corpus as question


@pytest.mark.parametrize(
    ("recipe", "corpus", "changes", "said"),
    [
        ("simcse_unsup", "demo", {}, (True, False)),
        ("simcse_unsup", "demo", {"training.dedup_batch": True}, (True, True)),
        ("sbert", "demo:labelled", {}, (False, False)),
    ],
)
def test_the_report_knows_what_the_recipe_does_with_copies(monkeypatch, recipe, corpus, changes, said):
    asked = {}
    monkeypatch.setattr(question, "ask", lambda name, **more: asked.update(more))
    question.corpus_question(settle(recipe, backbone="minilm-l3", corpus=corpus, changes=changes))
    assert (asked["apart"], asked["dedup_batch"]) == said
