from collections import Counter
from random import Random

import pytest

from workbench.augmentations.text.document_spans import document_spans

WORDS = [f"w{number:02}" for number in range(60)]
TEXT = " ".join(WORDS)


def spans(seed, **settings):
    return [[WORDS.index(word) for word in part.split()] for part in document_spans(TEXT, rng=Random(seed), **settings)]


def test_both_are_runs_of_words_that_touch():
    kinds = Counter()
    for seed in range(500):
        anchor, positive = spans(seed)
        assert all(part == list(range(part[0], part[-1] + 1)) and 4 <= len(part) <= 24 for part in (anchor, positive))
        shared = set(anchor) & set(positive)
        if not shared:
            assert positive[0] == anchor[-1] + 1 or positive[-1] == anchor[0] - 1
        kinds["within" if set(positive) <= set(anchor) else "overlap" if shared else "beside"] += 1
    assert min(kinds.values()) > 10 and len(kinds) == 3, kinds


def test_anchors_are_longer_than_positives():
    """Means of Beta(4, 2) and Beta(2, 4) are two thirds and one third of the way."""
    drawn = [spans(seed) for seed in range(2000)]
    anchor, positive = (sum(len(one[part]) for one in drawn) / len(drawn) for part in (0, 1))
    assert anchor == pytest.approx(4 + 20 * 2 / 3, abs=0.8) and positive == pytest.approx(4 + 20 / 3, abs=0.8)


def test_short_texts_and_limits():
    assert document_spans("one two", rng=Random(0)) == ("one two", "one two")
    assert document_spans("", rng=Random(0)) == ("", "")
    assert {len(part) for seed in range(50) for part in spans(seed, shortest=7, longest=7)} == {7}
    # A longest below the shortest counts as the shortest.
    anchor, positive = document_spans(" ".join(map(str, range(200))), shortest=30, longest=20, rng=Random(0))
    assert len(anchor.split()) == len(positive.split()) == 30
