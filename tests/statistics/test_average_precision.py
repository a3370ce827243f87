import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from workbench.core.errors import BadData
from workbench.statistics.average_precision import average_precision, average_precision_interval, weighted

ITEMS = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=30).filter(
    lambda rows: any(positive for _, positive in rows)
)


@given(ITEMS)
def test_as_scikit_learn_with_ties(rows):
    scores, positive = (np.array(column) for column in zip(*rows, strict=True))
    assert average_precision(scores, positive) == pytest.approx(average_precision_score(positive, scores))


@given(ITEMS)
def test_a_rising_map_changes_nothing(rows):
    scores, positive = (np.array(column) for column in zip(*rows, strict=True))
    assert average_precision(np.exp(scores), positive) == average_precision(scores, positive)


def test_by_hand():
    # Ranks of the positives: 1, 3, 4: precisions 1/1, 2/3, 3/4.
    assert average_precision([9, 8, 7, 6, 5], [1, 0, 1, 1, 0]) == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)


def test_a_resample_counts_items_as_often_as_they_are_drawn():
    scores, positive = np.array([0.9, 0.5, 0.1]), np.array([True, False, True])
    counts = np.array([[1.0, 2.0], [1.0, 1.0], [1.0, 0.0]])
    drawn_twice = average_precision_score([1, 1, 0], [0.9, 0.9, 0.5])
    assert weighted(counts, scores, positive) == pytest.approx([average_precision(scores, positive), drawn_twice])
    assert np.isnan(weighted(np.array([[0.0], [1.0], [0.0]]), scores, positive)).all()


def test_the_interval_holds_the_score_and_shrinks_with_more_items():
    rng = np.random.default_rng(0)
    widths = []
    for size in (50, 5_000):
        positive = rng.random(size) < 0.4
        scores = rng.normal(size=size) + positive
        low, high = average_precision_interval(scores, positive, resamples=300)
        assert low < average_precision(scores, positive) < high
        widths.append(high - low)
    assert widths[1] < widths[0] / 5


@pytest.mark.parametrize(
    ("scores", "positive", "match"),
    [([1.0], [False], "positive item"), ([1.0], [True, False], "for each"), ([np.nan], [True], "NaN")],
)
def test_what_is_refused(scores, positive, match):
    with pytest.raises(BadData, match=match):
        average_precision(scores, positive)
