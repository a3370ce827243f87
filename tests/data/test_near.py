import itertools
import re
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.data import near
from workbench.data.near import RULE, beside, false_negatives, letters, near_groups, plain


@pytest.mark.parametrize(("texts", "batch"), [("aab", 2), ("aabbbc", 3), ("aaaa", 3), ("abcd", 2)])
def test_false_negatives_by_counting_every_batch(texts, batch):
    sizes = np.array([texts.count(letter) for letter in set(texts)])
    batches = list(combinations(texts, batch))
    equal = sum(one == two for drawn in batches for one, two in permutations(drawn, 2))
    assert false_negatives(sizes, len(texts), batch) == pytest.approx(equal / len(batches))


def test_false_negatives_at_the_edges():
    assert false_negatives(np.array([1]), 1, 64) == 0
    assert false_negatives(np.array([2, 1]), 3, 64) == 2  # the batch is the corpus
    assert false_negatives(np.ones(100), 100, 64) == 0


def jaccard(one, two):
    a, b = ({text[at : at + 5] for at in range(len(text) - 4)} for text in (letters(one), letters(two)))
    return len(a & b) / len(a | b)


@settings(max_examples=300)
@given(st.one_of(st.text(max_size=30), st.text(st.characters(max_codepoint=127), max_size=30)))
def test_letters_are_the_same_with_and_without_the_pattern(text):
    folded = text.casefold()
    assert letters(text) == (re.sub(r"[\W_]+", "", folded) or plain(text))


def test_plain_letters_are_found_without_a_pattern(monkeypatch):
    monkeypatch.setattr(near, "_NO_LETTER", None)
    assert letters("Isn't it a 1st_class test?") == "isntita1stclasstest" and letters(" :-) ") == ":-)"


def test_near_duplicates_follow_the_rule():
    texts = [
        "The district was added to the national register of historic places in 1992.",
        "The district was added to the national register of historic places in 1974!",
        "Two bakers slide long wooden paddles into a glowing brick oven.",
        "Two bakers slide long wooden paddles into a glowing oven, brick by brick.",
        "Nothing like any of the others at all.",
        "🚀",
        "🎈",
        "ok",
    ]
    labels, examples = near_groups(texts)
    for one, two in combinations(range(5), 2):
        assert (labels[one] == labels[two]) == (jaccard(texts[one], texts[two]) >= 0.8), (one, two)
    assert labels[0] == labels[1] and len(set(labels[5:])) == 3
    assert examples == [(0, 1, pytest.approx(jaccard(texts[0], texts[1])))]
    assert "80 %" in RULE


def test_results_match_brute_force():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefghij"), 6)) for _ in range(60)]
    texts = [" ".join(rng.choice(words, 20)) for _ in range(60)]
    for text in texts[:30]:  # one word of twenty changed: about 85 % of the sequences stay
        parts = text.split()
        parts[rng.integers(20)] = "xyzxyz"
        texts.append(" ".join(parts))
    labels, _ = near_groups(texts)
    expected = {pair for pair in combinations(range(90), 2) if jaccard(texts[pair[0]], texts[pair[1]]) >= 0.8}
    found = {pair for pair in combinations(range(90), 2) if labels[pair[0]] == labels[pair[1]]}
    assert len(expected) >= 15
    assert len(expected - found) <= 1 and found <= expected


def test_results_are_repeatable_and_no_texts_are_allowed():
    ending = "of a whole family of similar sentences, written for the sake of counting them."
    texts = [f"This is sentence number {n} {ending}" for n in range(50)]
    assert (near_groups(texts)[0] == near_groups(texts)[0]).all()
    assert len(set(near_groups(texts)[0])) < 5
    assert len(near_groups([])[0]) == 0
    assert near_groups(["only one"])[0].tolist() == [0]


@settings(max_examples=25)
@given(st.lists(st.text(min_size=1), unique_by=plain, max_size=8))
def test_any_texts(texts):
    labels, _ = near_groups(texts)
    assert len(labels) == len(texts)


@pytest.mark.parametrize(("group", "texts", "batch"), [(2, 5, 3), (3, 6, 2), (5, 5, 4), (1, 4, 3), (3, 4, 9)])
def test_the_chance_of_a_copy_beside_a_text_is_at_most_1_and_near_that_of_drawing_batches(group, texts, batch):
    """`group` of the texts are equal. Exact for one copy; with more, drawing without replacement meets one a little oftener."""
    found = float(beside(np.array([group - 1]), texts, batch)[0])
    drawn = min(batch, texts)
    with_first = [set(one) for one in itertools.combinations(range(texts), drawn) if 0 in one]
    share = sum(bool(one & set(range(1, group))) for one in with_first) / len(with_first)
    assert 0 <= found <= 1 and found <= share + 1e-12 and abs(found - share) < 0.15
    if group <= 2 or drawn == texts:
        assert found == pytest.approx(share)
