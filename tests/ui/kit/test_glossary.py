"""Words with their meanings: once in each piece, never inside tags, code or names, and users' text stays escaped."""

import re

import pytest

from workbench.metrics import METHODS as METRICS
from workbench.ui.kit.glossary import MEANINGS, explained
from workbench.ui.kit.score_notes import rules_of
from workbench.ui.kit.words import coded, html


def bare(marked):
    """The text without the marks."""
    return re.sub(r"</?dfn[^>]*>", "", marked)


@pytest.mark.parametrize("word", MEANINGS)
def test_each_word_has_its_meaning_at_its_first_use_in_any_spelling(word):
    text = f"A {word.upper()}, then {word} and {word} again."
    marked = explained(text)
    assert bare(marked) == text
    assert marked.count("<dfn") == 1 and f">{word.upper()}</dfn>, then" in marked
    assert f'data-means="{html(MEANINGS[word])}"' in marked and 'tabindex="0"' in marked


@pytest.mark.parametrize(
    "text", ["demo:gold", "gold/pairs.tsv", "gold.tsv", "marigold", "gold-plated", "user@gold", "signature", "/gold"]
)
def test_names_and_parts_of_words_are_left_alone(text):
    assert explained(html(text)) == html(text)


def test_a_word_that_ends_a_sentence_is_found():
    assert "<dfn" in explained("They have no gold.") and "<dfn" in explained("(transductive)")


def test_tags_and_code_stay_as_they_are():
    head = '<th class="gold" title="nats">Cosine</th>'
    assert explained(head) == head
    code = coded("set `gold = nats`")
    assert explained(code) == code


def test_text_of_users_stays_escaped():
    marked = explained(html('<img src=x onerror="alert(1)"> gold'))
    assert "<img" not in marked and marked.count("<") == 2  # the mark and its end


def test_the_words_are_those_that_the_pages_use():
    titles = {method.title for method in METRICS.values()}
    assert {"Hubness", "IsoScore"} <= titles
    assert rules_of([["transductive"]])[0].removeprefix("transductive: ") in MEANINGS["transductive"].replace(
        "At", "at"
    )


def test_no_line_ends_between_a_number_and_its_unit():
    assert explained("<b>90 % of</b> 3 min, <code>90 %</code>") == "<b>90\u00a0% of</b> 3\u00a0min, <code>90 %</code>"
