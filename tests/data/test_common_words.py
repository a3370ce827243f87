"""What a corpus and pairs have in common, computed by hand."""

from collections import Counter

import pytest

from workbench.data import common_words as module
from workbench.data.common_words import common_share, common_words, words


def test_the_share_is_the_sum_of_the_smaller_frequencies():
    first, second = Counter(words("the the cat sat")), Counter(words("the dog"))
    assert common_share(first, second) == pytest.approx(min(2 / 4, 1 / 2))
    assert common_share(first, first) == 1.0 and common_share(first, Counter(words("x y"))) == 0.0
    assert common_share(Counter(), first) == 0.0


def test_words_have_no_case_and_chinese_has_no_spaces():
    assert words("It's a CAT, 3 cats") == ["it", "s", "a", "cat", "3", "cats"]
    assert words("我爱猫cat") == ["我", "爱", "猫", "cat"]


def test_a_corpus_of_the_same_kind_has_as_much_in_common_as_two_halves():
    first = [
        f"{who} eats {what}" for who in ("a man", "a woman", "the dog", "the cat") for what in ("bread", "fish", "rice")
    ]
    second = [text.replace("eats", "has") for text in first]
    same, other = common_words(first, first, second), common_words(["markets fell on tuesday"] * 9, first, second)
    assert not same.little and other.little and other.corpus == 0.0
    assert same.halves == other.halves > 0.6 and same.texts == len(first)


def test_of_a_large_corpus_evenly_spaced_texts_are_read(monkeypatch):
    monkeypatch.setattr(module, "MOST_TEXTS", 10)
    corpus = ["a b"] * 50 + ["c d"] * 50
    found = common_words(corpus, ["a b"] * 4, ["c d"] * 4)
    assert found.texts == 10 and found.corpus == pytest.approx(1.0)
    assert common_words([], ["a"], ["b"]).corpus == 0.0
