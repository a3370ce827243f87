from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.errors import BadData
from workbench.core.rows import unit_rows
from workbench.previews.gold import BANDS, DISPUTED, EVEN, LONGEST, candidates, chosen, notices_of, sampled, table_of


def vectors(count, seed, dim=4):
    return unit_rows(np.random.default_rng(seed).normal(size=(count, dim)))


def test_similarity_is_spread_from_the_median_pair_to_the_nearest():
    rows = unit_rows(np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [-1.0, 0.0]]))
    pairs = candidates([rows])
    assert len(pairs.first) == 6 and pairs.similarity.max() == 1 and (pairs.disagreement == 0).all()
    nearest = int(pairs.similarity.argmax())
    assert (pairs.first[nearest], pairs.second[nearest]) == (0, 1)
    cosines = np.array([rows[a] @ rows[b] for a, b in zip(pairs.first, pairs.second, strict=True)])
    wanted = np.clip((cosines - np.median(cosines)) / (cosines.max() - np.median(cosines)), 0, 1)
    assert pairs.similarity == pytest.approx(wanted)


def test_two_encoders_disagree_where_they_differ():
    pairs = candidates([vectors(40, 0), vectors(40, 1)])
    both = [candidates([vectors(40, seed)]).similarity for seed in (0, 1)]
    assert pairs.similarity == pytest.approx((both[0] + both[1]) / 2)
    assert pairs.disagreement == pytest.approx(np.abs(both[0] - both[1]))
    assert (candidates([vectors(40, 0), vectors(40, 0)]).disagreement == 0).all()


def test_pairs_are_even_over_similarity_and_the_rest_is_disputed():
    pairs = candidates([vectors(300, 0), vectors(300, 1)])
    rows = chosen(pairs, 100, disputed=0.3, seed=0)
    why = Counter(reason for _, reason in rows)
    assert why == {DISPUTED: 30, EVEN: 70} and len({row for row, _ in rows}) == 100
    disputed = [pairs.disagreement[row] for row, reason in rows if reason == DISPUTED]
    even = [pairs.similarity[row] for row, reason in rows if reason == EVEN]
    assert min(disputed) > np.quantile(pairs.disagreement, 0.99)
    per_band = np.bincount(np.minimum((np.array(even) * BANDS).astype(int), BANDS - 1), minlength=BANDS)
    there = np.bincount(np.minimum((pairs.similarity * BANDS).astype(int), BANDS - 1), minlength=BANDS)
    assert all(number >= 6 or total < 30 for number, total in zip(per_band, there, strict=True)), per_band
    uses = Counter(at for row, _ in rows for at in (pairs.first[row], pairs.second[row]))
    assert max(uses.values()) <= 2


@settings(max_examples=25, deadline=None)
@given(st.integers(3, 12), st.integers(4, 80), st.floats(0, 1), st.integers(0, 5))
def test_no_pair_twice_and_as_many_as_there_are(texts, count, disputed, seed):
    pairs = candidates([vectors(texts, seed), vectors(texts, seed + 1)])
    rows = chosen(pairs, count, disputed=disputed, seed=seed)
    assert len(rows) == len({row for row, _ in rows}) == min(count, len(pairs.first))
    assert rows == chosen(pairs, count, disputed=disputed, seed=seed)


def test_the_table_has_each_pair_in_an_order_that_is_drawn():
    texts = [f"text {row}" for row in range(30)]
    pairs = candidates([vectors(30, 0)])
    table = table_of(texts, pairs, chosen(pairs, 40, disputed=0.3, seed=0), 0)
    assert table["sentence1"].ne(table["sentence2"]).all() and table["similarity"].between(0, 1).all()
    turned = [texts.index(a) > texts.index(b) for a, b in zip(table["sentence1"], table["sentence2"], strict=True)]
    assert 5 < sum(turned) < 35 and set(table["chosen"]) == {EVEN}


def test_long_and_equal_texts_are_left_out():
    assert sampled(["a", "a", "b", "c", "x" * (LONGEST + 1)], 0) == ["a", "b", "c"]
    texts = ["a", "a", "b", "c", *("x" * (LONGEST + 1) + end for end in "yz")]
    assert notices_of(texts, 3, 3) == ["2 of 5 texts are longer than 400 characters and are left out."]
    assert notices_of(texts[:4], 4, 3) == ["3 texts give 3 pairs."] and notices_of(texts[:4], 3, 3) == []
    with pytest.raises(BadData, match="too few texts"):
        sampled(["a", "a", "b"], 0)
