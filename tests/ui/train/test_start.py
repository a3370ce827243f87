"""Which run is tried by itself to tell its time."""

import pytest

from workbench.recipes import settle
from workbench.ui.train import start


@pytest.mark.parametrize(
    ("recipe", "changes", "tried"),
    [
        ("simcse_unsup", {}, True),
        ("simcse_unsup", {"backbone": "google-bert/bert-base-uncased"}, False),
        ("simcse_unsup", {"corpus": "hf:org/texts"}, False),
        ("simcse_unsup", {"changes": {"terms.0.views.b.augmentation": "typo_noise"}}, False),
        ("mlm_continue", {"corpus": "articles.txt.xz"}, True),
        ("mlm_continue", {"backbone": "google-bert/bert-base-uncased", "corpus": "articles.txt.xz"}, False),
        ("gist", {"corpus": "demo:paraphrases"}, False),
        ("diffcse", {}, False),
    ],
)
def test_only_what_takes_seconds_and_downloads_nothing_is_tried(monkeypatch, recipe, changes, tried):
    asked = []
    monkeypatch.setattr(start, "ask", lambda verb, **given: asked.append(given["config"]))
    start._first_dry_run(settle(recipe, **({"backbone": "mini-mlm", "corpus": "demo"} | changes)))
    assert bool(asked) == tried
