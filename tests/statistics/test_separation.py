"""The area under the ROC curve: counted pair by pair, and by scikit-learn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from workbench.statistics.separation import auc

SCORES = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=15)


@given(SCORES, SCORES)
def test_it_is_the_share_of_pairs_in_which_the_first_is_higher(higher, lower):
    wins = sum((one > other) + (one == other) / 2 for one in higher for other in lower)
    assert auc(higher, lower) == pytest.approx(wins / (len(higher) * len(lower)))
    labels = [1] * len(higher) + [0] * len(lower)
    assert auc(higher, lower) == pytest.approx(roc_auc_score(labels, higher + lower))
    assert auc(higher, lower) == pytest.approx(1 - auc(lower, higher))


def test_without_one_of_the_groups_it_is_undefined():
    assert auc([], [0.1]) is None and auc([0.1], []) is None
