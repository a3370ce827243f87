import pytest

from workbench.augmentations.catalogue import AUGMENTATIONS
from workbench.augmentations.pipeline import Pipeline, parse
from workbench.ui.pipelines.editor import _entry, _offered, _shortened, summary_words


def short(pipeline):
    """The line that the editor shows."""
    return str(Pipeline(tuple(map(_shortened, pipeline.steps))))


@pytest.mark.parametrize(
    "line", ["eda_swap(rate=0.25)@0.5 + token_cutoff", "one_of(typo_noise@0.5, arc_masks[1])", "", "augcse_12"]
)
def test_the_shortened_line_parses_to_the_same_pipeline(line):
    found = parse(line)
    assert parse(short(found)) == found
    assert len(short(found)) <= len(str(found))


def test_summaries_have_no_names_of_parameters_for_what_is_given():
    shown = {method.id: summary_words(method) for method in AUGMENTATIONS.values()}
    assert shown["eda_swap"].startswith("The text with pairs of words swapped")
    assert shown["augcse_sentence_reordering"].startswith("The sentences of the text in another order")
    assert not [words for words in shown.values() if words.startswith("`") and not words[1:].startswith(tuple(shown))]


def test_defaults_are_omitted():
    assert short(parse("typo_noise(rate=0.05)")) == "typo_noise"


def test_the_catalogue_is_grouped_and_says_what_is_absent(monkeypatch):
    monkeypatch.setenv("WORKBENCH_WORDNET", "/nonexistent")
    offered = _offered("", choices=False)
    levels = [text.partition(",")[0] for text in offered.values() if ": " in text and "pool" not in text]
    assert list(dict.fromkeys(levels)) == ["Text", "Text by a model", "Positions", "Token states", "Vectors"]
    assert "augcse_4" in offered and "augcse_4" not in _offered("", choices=True)
    assert _entry("eda_synonym").endswith("eda_synonym · English · not installed")
    assert parse(next(iter(_offered("negative", choices=False)))).steps[0].method.tags["role"] == "negative"
