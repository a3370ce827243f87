"""Groups of pairs that no sentence links."""

import numpy as np
import pytest

from workbench.data.demo import pairs
from workbench.statistics.linked_pairs import count_groups, group_of_pairs, of_rows, said_of_groups


def by_hand(first, second):
    """The groups by joining sets of sentences one pair after another."""
    groups = []
    for pair in map(set, zip(first, second, strict=True)):
        joined = [group for group in groups if group & pair]
        groups = [group for group in groups if not group & pair] + [pair.union(*joined)]
    return groups


@pytest.mark.parametrize("texts", [5, 20, 60, 300])
def test_groups_are_those_of_joining_sets(texts):
    rng = np.random.default_rng(texts)
    first, second = ([f"text {number}" for number in rng.integers(texts, size=80)] for _ in range(2))
    groups = by_hand(first, second)
    found = group_of_pairs(first, second)
    assert len(set(found)) == len(groups) == count_groups(first, second) == found.max() + 1
    for own in range(len(groups)):
        members = {text for at in np.flatnonzero(found == own) for text in (first[at], second[at])}
        assert members in groups


def test_a_chain_is_one_group_and_no_pair_is_none():
    assert count_groups(["a", "b", "c"], ["b", "c", "d"]) == 1 and count_groups([], []) == 0
    assert count_groups(["a", "a"], ["a", "b"]) == 1, "a pair of equal sentences too"


def test_demo_pairs_repeat_no_sentence():
    for split in ("dev", "test"):
        known = pairs(split)
        assert count_groups(known.first, known.second) == len(known)


@pytest.mark.parametrize(
    ("groups", "said"), [(1, True), (94, True), (95, False), (100, False), (None, False), (np.nan, False)]
)
def test_a_few_sentences_that_recur_are_not_spoken_of(groups, said):
    assert bool(said_of_groups(100, groups)) == said
    assert bool(said_of_groups(np.float64(100), groups and np.float64(groups))) == said
    assert bool(of_rows([{"n": 100, "linked_groups": groups}])) == said


def test_a_pair_set_is_named_once_however_many_encoders_were_scored():
    rows = [{"pairs": name, "n": 459, "linked_groups": 27} for name in ("a", "b", "a")]
    assert of_rows([*rows, {"pairs": "c", "n": 5, "linked_groups": 5}, {"n": 3}], named="pairs") == [
        "sentences recur: 459 pairs of a form 27 groups, 459 pairs of b form 27 groups, and intervals that treat pairs as "
        "independent can be too narrow"
    ]
