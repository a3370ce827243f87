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
    for anchor, positive in (drawn[at : at + 2] for drawn in map(spans, range(300)) for at in (0, 2)):
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


def test_the_anchors_of_a_document_begin_on_a_grid_and_share_no_word():
    starts = Counter()
    for seed in range(300):
        first, _, second, _ = spans(seed)
        assert not set(first) & set(second)
        starts[first[0], second[0]] += 1
    assert starts.keys() == {(0, 24), (24, 0)}
    assert {spans(seed, longest=12)[0][0] for seed in range(300)} == {0, 12, 24, 36, 48}
    for words in range(2, 60):
        text = " ".join(WORDS[:words])
        for seed in range(5):
            first, _, second, _ = (set(part.split()) for part in document_spans(text, rng=Random(seed)))
            assert first and second and not first & second


def test_short_texts_and_limits():
    assert document_spans("one two", rng=Random(0)) == ("two", "one two", "one", "one two")
    assert document_spans("one", rng=Random(0)) == ("one",) * 4 and document_spans("", rng=Random(0)) == ("",) * 4
    assert {len(part) for seed in range(50) for part in spans(seed, shortest=7, longest=7)} == {7}
    # `longest` below `shortest` counts as `shortest`.
    found = document_spans(" ".join(map(str, range(200))), shortest=30, longest=20, rng=Random(0))
    assert {len(part.split()) for part in found} == {30}
