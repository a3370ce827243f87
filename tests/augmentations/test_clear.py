from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.augmentations import wordnet
from workbench.augmentations.text import METHODS
from workbench.augmentations.text._draws import edit_count, normalised
from workbench.augmentations.text._spans import covered, disjoint, free_runs
from workbench.augmentations.text._words import words

LEXICON = wordnet.Lexicon(Path(__file__).parent / "wordnet")
CHINESE = "今天天气很好我们去公园散步"
FOUR = ["clear_reorder", "clear_span_deletion", "clear_substitution", "clear_word_deletion"]
LINES = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=60),
    st.lists(st.sampled_from(["dog", "The", "house,", "\ue000", "\ue001,", "好", "quickly."]), max_size=30).map(
        " ".join
    ),
    st.text("今天很好。a b\ue000\ue001", max_size=30),
)
SEEDS = st.integers(0, 10_000)


def call(name, text, seed=0, **knobs):
    first = (LEXICON,) if METHODS[name].prepare else ()
    return METHODS[name].fn(*first, text, rng=Random(seed), **knobs)


def numbered(count):
    return " ".join(f"w{place}" for place in range(count))


@pytest.mark.parametrize("name", FOUR)
@given(text=LINES, seed=SEEDS, rate=st.floats(0, 0.5))
@settings(max_examples=100)
def test_any_text_can_be_drawn_and_locked_words_stay_whole(name, text, seed, rate):
    result = call(name, text, seed, rate=rate)
    assert result == normalised(result) == call(name, text, seed, rate=rate)
    assert bool(result) == bool(normalised(text))
    held = [unit.strip() for unit in words(text) if "\ue000" in unit or "\ue001" in unit]
    assert all(unit in result for unit in held)
    for sign in "\ue000\ue001":
        assert result.count(sign) == text.count(sign)
    if rate == 0:
        assert result == normalised(text)


@given(seed=SEEDS, count=st.integers(1, 40), rate=st.floats(0.01, 1))
@settings(max_examples=100)
def test_word_deletion_deletes_the_given_share_and_merges_symbols(seed, count, rate):
    result = call("clear_word_deletion", numbered(count), seed, rate=rate, symbol="[DEL]").split()
    assert len([word for word in result if word != "[DEL]"]) == count - min(edit_count(rate, count), count - 1)
    assert all(pair != ("[DEL]", "[DEL]") for pair in pairwise(result))
    rest = iter(numbered(count).split())
    assert all(word in rest for word in result if word != "[DEL]")


def test_the_example_in_the_papers_figure():
    """Tokens 1, 2 and 4 of 5 deleted."""
    assert covered(["t1", "t2", "t3", "t4", "t5"], {0, 1, 3}, "[DEL]") == ["[DEL]", "t3", "[DEL]", "t5"]
    assert covered(["t1", "t2", "t3"], {0}, "") == ["t2", "t3"]


@given(seed=SEEDS, low=st.floats(0.01, 1), high=st.floats(0.01, 1))
@settings(max_examples=50)
def test_a_higher_rate_deletes_further_words(seed, low, high):
    low, high = sorted([low, high])
    few, many = (set(call("clear_word_deletion", numbered(20), seed, rate=rate).split()) for rate in (low, high))
    assert many - {"[MASK]"} <= few


@given(seed=SEEDS, count=st.integers(1, 120), spans=st.integers(1, 20), rate=st.floats(0.01, 0.2))
@settings(max_examples=100)
def test_span_deletion_deletes_runs_of_one_length(seed, count, spans, rate):
    result = call("clear_span_deletion", numbered(count), seed, spans=spans, rate=rate).split()
    length = min(edit_count(rate, count), count - 1)
    gone = count - len([word for word in result if word != "[MASK]"])
    assert gone % length == 0 if length else gone == 0
    if 2 * spans * length < count:
        assert gone == spans * length, "runs that take less than half always fit"
    assert all(pair != ("[MASK]", "[MASK]") for pair in pairwise(result))
    assert result.count("[MASK]") <= spans


def test_span_deletion_by_default():
    """5 spans of 5 % of 100 words: 25 words are deleted, in at most 5 runs."""
    result = call("clear_span_deletion", numbered(100)).split()
    assert len([word for word in result if word != "[MASK]"]) == 75


@given(seed=SEEDS, count=st.integers(1, 120), pairs=st.integers(1, 20), rate=st.floats(0.01, 0.5))
@settings(max_examples=100)
def test_reordering_keeps_the_words(seed, count, pairs, rate):
    before = numbered(count).split()
    after = call("clear_reorder", numbered(count), seed, pairs=pairs, rate=rate).split()
    assert Counter(after) == Counter(before)
    moved = sum(one != other for one, other in zip(before, after, strict=True))
    length = edit_count(rate, count)
    assert moved % (2 * length) == 0 and moved <= 2 * pairs * length
    if 4 * pairs * length < count:
        assert moved == 2 * pairs * length


def test_disjoint_stretches_do_not_overlap_and_more_extend_the_same():
    for seed in range(50):
        starts = disjoint(3, 5, range(40, 0, -1), Random(seed))
        places = [place for start in starts for place in range(start, start + 3)]
        assert len(starts) == 5 and len(set(places)) == 15 and max(places) < 40
        assert disjoint(3, 2, range(40, 0, -1), Random(seed)) == starts[:2]


@given(seed=SEEDS, units=st.text("ab\ue000", max_size=40), length=st.integers(1, 6), count=st.integers(0, 12))
def test_as_many_stretches_are_drawn_as_fit(seed, units, length, count):
    starts = disjoint(length, count, free_runs(units), Random(seed))
    places = [place for start in starts for place in range(start, start + length)]
    assert len(set(places)) == len(places) and not any(units[place] == "\ue000" for place in places)
    assert len(starts) == min(count, sum(len(run) // length for run in units.split("\ue000")))


def test_reordering_uses_all_the_room():
    assert {call("clear_reorder", "a b c d e f", seed, rate=0.5) for seed in range(20)} == {"d e f a b c"}


def test_every_placement_can_be_drawn():
    drawn = {tuple(sorted(disjoint(2, 2, range(6, 0, -1), Random(seed)))) for seed in range(200)}
    assert drawn == {(0, 2), (0, 3), (0, 4), (1, 3), (1, 4), (2, 4)}


@given(seed=SEEDS, rate=st.floats(0.01, 1))
@settings(max_examples=60)
def test_substitution_replaces_the_share_of_words_with_synonyms(seed, rate):
    text = "the car can walk to a street and buy a house"  # five of eleven have synonyms
    one_word = {"automobile", "motorcar", "stroll", "road", "purchase", "dwelling", "home"}
    result = call("clear_substitution", text, seed, rate=rate).split()
    changed = [new for old, new in zip(text.split(), result, strict=True) if old != new]
    assert len(changed) == min(edit_count(rate, 11), 5) and set(changed) <= one_word


def test_substitution_draws_each_occurrence_separately():
    results = {call("clear_substitution", "car car", seed, rate=1.0) for seed in range(40)}
    assert "automobile motorcar" in results and "motorcar motorcar" in results
    assert call("clear_substitution", CHINESE) == CHINESE


def test_chinese():
    assert Counter(call("clear_reorder", CHINESE)) == Counter(CHINESE)
    assert call("clear_reorder", CHINESE) != CHINESE
    deleted = call("clear_word_deletion", CHINESE, symbol="□")
    assert len(deleted.replace("□", "")) == 13 - 9 and " " not in deleted
    assert len(call("clear_span_deletion", CHINESE, spans=2, symbol="")) == 11
