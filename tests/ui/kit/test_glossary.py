"""Words with their meanings: once in each piece, never inside tags, code or names, and users' text stays escaped."""

import re

import numpy as np
import pytest

from workbench.metrics import METHODS as METRICS
from workbench.scoring.pair_scores import threshold
from workbench.ui.kit import notices
from workbench.ui.kit.glossary import MEANINGS, MEASURES, ON_REQUEST, explained
from workbench.ui.kit.score_notes import rules_of
from workbench.ui.kit.words import coded, html


def bare(marked):
    """The text without the marks."""
    return re.sub(r"</?dfn[^>]*>", "", marked)


@pytest.mark.parametrize("word", MEANINGS)
def test_each_word_has_its_meaning_at_its_first_use_in_any_spelling(word):
    text = f"A {word.upper()}, then {word} and {word} again."
    marked = explained(text, MEANINGS)
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


def test_measures_are_explained_where_a_page_asks_for_them():
    text = ", ".join(MEANINGS)
    assert explained(text).count("<dfn") == len(MEANINGS) - len(ON_REQUEST)
    assert explained("Spearman of the cone", ["cone"]).count("<dfn") == 1
    assert explained(text, MEANINGS).count("<dfn") == len(MEANINGS)


def test_a_word_that_a_head_divides_is_marked_whole():
    head = "<th>Spearman<br>× 100 ↑</th><th>Align-<br>ment ↓</th><th>Unifor-<br>mity ↓</th><th>Mean<br>cosine</th>"
    marked = explained(head, MEASURES)
    assert bare(marked) == head and marked.count("<dfn") == len(MEASURES)
    for word in ("Spearman", "Align-<br>ment", "Unifor-<br>mity", "Mean<br>cosine"):
        assert f">{word}</dfn>" in marked
    assert ">false negatives</dfn>" in explained("Likely false negatives")


def test_facts_have_each_meaning_once(monkeypatch):
    shown = []
    monkeypatch.setattr(notices.st, "html", shown.append)
    names = {"Spearman before": "60.00", "Spearman after": "70.00", "Mean cosine": "0.50 over 90 %"}
    notices.facts(names, {"Spearman after": "mean of Spearman & gold"}, MEASURES)
    assert shown[0].count("<dfn") == 3 and "Spearman &amp; <dfn" in shown[0] and "90\u00a0%" in shown[0]


def test_the_definitions_are_those_of_the_code():
    square, opposite = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    assert METRICS["alignment"].fn(square, opposite) == pytest.approx(2), "a squared distance, and the mean of two"
    assert METRICS["uniformity"].fn(square) == pytest.approx(-2 * 2), "log of exp(-t x squared distance), t = 2"
    assert METRICS["mean_cosine"].fn(np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0]])) == pytest.approx(1 / 3)
    assert all(threshold((0.0, high)) == pytest.approx(4 / 5 * high) for high in (1, 4, 5, 100))
    assert set(MEASURES) <= set(ON_REQUEST) <= set(MEANINGS)


def test_no_line_ends_between_a_number_and_its_unit():
    assert explained("<b>90 % of</b> 3 min, <code>90 %</code>") == "<b>90\u00a0% of</b> 3\u00a0min, <code>90 %</code>"
