import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from workbench.core.errors import BadData
from workbench.statistics.paired_seeds import best_of, paired_over_seeds, settings_over_seeds

SCORES = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=8)


@given(SCORES, st.data())
def test_the_paired_test_equals_scipys(first, data):
    second = data.draw(st.lists(st.floats(-1, 1, width=32), min_size=len(first), max_size=len(first)))
    if np.std(np.subtract(second, first)) < 1e-3:
        return
    found = paired_over_seeds(dict(enumerate(first)), dict(enumerate(second)))
    expected = stats.ttest_rel(second, first)
    interval = expected.confidence_interval()
    narrow = paired_over_seeds(dict(enumerate(first)), dict(enumerate(second)), level=0.8)
    assert (narrow.low, narrow.high) == pytest.approx((*expected.confidence_interval(0.8),), rel=1e-6, abs=1e-9)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-9)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-6, abs=1e-9)


def test_only_common_seeds_count_and_one_gives_no_p():
    found = paired_over_seeds({0: 1.0, 1: 5.0}, {1: 6.0, 2: 9.0})
    assert (found.n, found.delta) == (1, 1.0) and math.isnan(found.p)
    with pytest.raises(BadData, match="no seed in common"):
        paired_over_seeds({0: 1.0}, {1: 1.0})


@pytest.mark.parametrize(
    ("first", "second"), [((250, 250), (500, 500)), ((0.1, 0.2), (0.3, 0.4)), ((1, 2), (2.5, 3.5))]
)
def test_one_difference_in_all_seeds_is_undecided_and_none_a_tie(first, second):
    found = paired_over_seeds(dict(enumerate(first)), dict(enumerate(second)))
    assert found.delta == pytest.approx(second[0] - first[0])
    assert all(math.isnan(number) for number in (found.low, found.high, found.p))
    assert list(settings_over_seeds([dict(enumerate(first)), dict(enumerate(second))])["standing"]) == ["", "reference"]
    assert paired_over_seeds({0: 1.0, 1: 1.0}, {0: 1.0, 1: 1.0}).p == 1.0


def test_standings_name_ties():
    best = {0: 0.80, 1: 0.81, 2: 0.80}
    near = {0: 0.80, 1: 0.80, 2: 0.805}
    far = {0: 0.50, 1: 0.512, 2: 0.501}
    table = settings_over_seeds([near, far, best, {}, {0: 0.1}])
    assert list(table["standing"]) == ["tie", "worse", "reference", "", ""]
    assert list(table["n"]) == [3, 3, 3, 0, 1]
    near_p, far_p = table["p"][0], table["p"][1]
    # The best of three was chosen by these scores, so p is adjusted for all three pairs, of which two are tested.
    assert list(table["p_holm"].dropna()) == pytest.approx([min(1, 2 * near_p), 3 * far_p])


def test_a_setting_with_one_difference_in_all_seeds_could_have_been_chosen_too():
    table = settings_over_seeds(
        [{0: 0.60, 1: 0.62, 2: 0.61}, {0: 0.50, 1: 0.52, 2: 0.51}, {0: 0.57, 1: 0.575, 2: 0.59}]
    )
    assert list(table["standing"]) == ["reference", "", "tie"]
    assert table["p_holm"][2] == pytest.approx(3 * table["p"][2]) and table["p"][2] < 0.05 < table["p_holm"][2]
    assert math.isnan(table["p_holm"][1])


def test_lower_is_better_reverses_the_order():
    high, low = {0: 2.0, 1: 2.1, 2: 2.05}, {0: 1.0, 1: 1.12, 2: 1.05}
    assert best_of([high, low], higher=False) == 1
    assert list(settings_over_seeds([high, low], 0, higher=False)["standing"]) == ["reference", "better"]
    assert list(settings_over_seeds([high, low], 0)["standing"]) == ["reference", "worse"]
    assert list(settings_over_seeds([high, low], higher=False)["standing"]) == ["worse", "reference"]
    assert list(settings_over_seeds([high, low])["standing"]) == ["reference", "worse"]


def test_differences_from_scores_that_are_no_setting_leave_a_standing_for_each():
    base, better = {0: 1.0, 1: 1.12, 2: 1.05}, {0: 2.0, 1: 2.1, 2: 2.05}
    table = settings_over_seeds([better, base], base)
    assert list(table["standing"]) == ["better", "tie"] and list(table["delta"]) == pytest.approx([2.98 / 3, 0])
    assert list(table["p_holm"]) == pytest.approx([2 * table["p"][0], 1])


def test_settings_without_scores_have_no_standing():
    assert best_of([{}, {}]) == -1
    assert list(settings_over_seeds([{}, {}])["standing"]) == ["", ""]
