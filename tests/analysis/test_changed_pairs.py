"""Mended and broken pairs: the residuals before and after, computed here with loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis.changed_pairs import changed_pairs
from workbench.analysis.worst_pairs import worst_pairs
from workbench.core.errors import BadData


def rank(values, value):
    """The average rank of a value among all, from 0 to 1."""
    lower = sum(other < value for other in values)
    equal = sum(other == value for other in values)
    return (lower + (equal - 1) / 2) / max(1, len(values) - 1)


def verdict_of(before, after, threshold):
    change = abs(after) - abs(before)
    return "mended" if change < -threshold - 1e-9 else "broken" if change > threshold + 1e-9 else "as before"


SCORES = st.lists(st.tuples(*[st.integers(0, 6)] * 3), min_size=2, max_size=12)


@given(SCORES, st.sampled_from([0.0, 0.1, 0.3, 1.0]))
def test_it_is_the_change_of_the_distance_between_two_ranks(scores, threshold):
    before, after, gold = (list(map(float, column)) for column in zip(*scores, strict=True))
    table = changed_pairs(before, after, gold, threshold=threshold)
    for row in range(len(gold)):
        was = rank(before, before[row]) - rank(gold, gold[row])
        now = rank(after, after[row]) - rank(gold, gold[row])
        assert table["residual_before"][row] == pytest.approx(was) and table["residual_after"][row] == pytest.approx(
            now
        )
        assert table["change"][row] == pytest.approx(abs(now) - abs(was))
        assert table["verdict"][row] == verdict_of(was, now, threshold)
    counts = table["verdict"].value_counts()
    assert table.attrs == {
        "threshold": threshold,
        "mended": counts.get("mended", 0),
        "broken": counts.get("broken", 0),
    }


@given(SCORES)
def test_the_other_way_round_mended_is_broken(scores):
    before, after, gold = zip(*scores, strict=True)
    there, back = changed_pairs(before, after, gold), changed_pairs(after, before, gold)
    swapped = {"mended": "broken", "broken": "mended", "as before": "as before"}
    assert there["verdict"].map(swapped).tolist() == back["verdict"].tolist()


def test_a_change_of_exactly_the_threshold_is_none():
    gold = np.arange(11.0)
    before = gold.copy()
    before[[0, 1]] = before[[1, 0]]  # both are a tenth of the ranks away
    assert set(changed_pairs(before, gold, gold, threshold=0.1)["verdict"]) == {"as before"}
    assert changed_pairs(before, gold, gold, threshold=0.09).attrs["mended"] == 2


def test_residuals_are_those_of_the_worst_pairs():
    rng = np.random.default_rng(0)
    before, after, gold = rng.normal(size=(3, 50))
    table = changed_pairs(before, after, gold)
    for name, cosines in (("before", before), ("after", after)):
        known = worst_pairs(cosines, gold, count=50).sort_values("row")
        assert table[f"residual_{name}"].tolist() == known["residual"].tolist()


def test_no_pairs_and_numbers_that_are_not_finite_are_refused():
    with pytest.raises(BadData, match="no pairs"):
        changed_pairs([], [], [])
    with pytest.raises(BadData, match="NaN"):
        changed_pairs([0.1, 0.2], [np.nan, 0.2], [1, 2])
    assert isinstance(changed_pairs([0.1], [0.2], [3]), pd.DataFrame)
