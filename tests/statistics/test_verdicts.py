import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.errors import BadData
from workbench.statistics.agreement import kappa
from workbench.statistics.means import mean_interval, mean_intervals
from workbench.statistics.verdicts import agreement, verdict_shares
from workbench.statistics.wilson import wilson

Z = 1.959963984540054


class TestWilson:
    def test_published_values(self):
        # Newcombe (1998), Statistics in Medicine 17:857-872, table I, method 3
        for successes, n, low, high in [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)]:
            found = wilson(successes, n)
            assert (round(found.low, 4), round(found.high, 4)) == (low, high)

    @given(st.integers(1, 500), st.data())
    def test_its_ends_are_where_the_score_test_just_accepts(self, n, data):
        k = data.draw(st.integers(0, n))
        low, high = wilson(k, n)
        assert 0 <= low <= k / n <= high <= 1
        for end in (low, high):
            if 0 < end < 1:
                assert abs(k / n - end) == pytest.approx(Z * (end * (1 - end) / n) ** 0.5, rel=1e-6, abs=1e-9)

    def test_no_draws_give_the_interval_0_to_1(self):
        assert wilson(0, 0) == (0, 1)
        for successes in (3, -1):
            with pytest.raises(BadData, match=f"{successes} of 2"):
                wilson(successes, 2)


def test_the_interval_of_a_mean_is_near_the_normal_one():
    values = np.random.default_rng(0).normal(5, 2, 400)
    low, high = mean_interval(values, resamples=4000)
    half = Z * values.std() / 20
    assert low == pytest.approx(values.mean() - half, abs=0.03) and high == pytest.approx(
        values.mean() + half, abs=0.03
    )
    twice = mean_intervals(np.stack([values, values], 1), resamples=4000)
    assert [*twice[0], *twice[1]] == pytest.approx([low, high] * 2, rel=1e-12)
    with pytest.raises(BadData):
        mean_interval([])
    with pytest.raises(BadData, match="finite"):
        mean_interval([1.0, np.nan])


def test_the_interval_of_a_mean_follows_its_level_resamples_and_seed():
    """Of two values a resample has either mean with a chance of 1/4, and that of both with 1/2."""
    assert mean_interval([0.0, 1.0]) == (0, 1)
    assert mean_interval([0.0, 1.0], level=0.4) == (0.5, 0.5)
    values = np.random.default_rng(0).normal(size=50)
    assert mean_interval(values, seed=1) == mean_interval(values, seed=1) != mean_interval(values)
    low, high = mean_interval(values, resamples=1)
    assert low == high


class TestAgreement:
    def test_kappa_by_hand(self):
        # 20 both yes, 5 and 10 apart, 15 both no: agreed .7, by chance .5 x .6 + .5 x .4 = .5
        first = ["yes"] * 25 + ["no"] * 25
        second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
        assert kappa(first, second) == pytest.approx(0.4)

    def test_a_single_verdict_throughout_has_no_kappa(self):
        assert kappa(["same"] * 3, ["same"] * 3) is None and kappa([], []) is None
        assert kappa(["same"] * 3, ["changed"] * 3) == 0

    def test_only_pairs_that_both_judged_count(self):
        rows = [("ann", "1", "same"), ("ann", "2", "changed"), ("ben", "2", "changed"), ("ben", "3", "same")]
        found = agreement(pandas.DataFrame(rows, columns=["judge", "pair", "verdict"]))
        assert found.to_dict("records") == [{"first": "ann", "second": "ben", "n": 1, "agreed": 1.0, "kappa": None}]


def test_shares_of_verdicts():
    rows = [("swap", "same", 0.9)] * 6 + [("swap", "broken", 0.5)] * 2 + [("noise", "changed", None)]
    found = verdict_shares(pandas.DataFrame(rows, columns=["pipeline", "verdict", "cosine"])).set_index("pipeline")
    assert found.loc["swap", ["n", "same", "changed", "broken"]].tolist() == [8, 0.75, 0, 0.25]
    assert tuple(found.loc["swap", ["same_low", "same_high"]]) == pytest.approx(wilson(6, 8))
    assert found.loc["swap", "cosine"] == pytest.approx(0.8)
    assert tuple(found.loc["swap", ["cosine_low", "cosine_high"]]) == mean_interval([0.9] * 6 + [0.5] * 2)
    assert found.loc["noise", ["cosine", "cosine_low", "cosine_high"]].isna().all()
    unknown = verdict_shares(pandas.DataFrame(rows, columns=["pipeline", "verdict", "cosine"]).drop(columns="cosine"))
    assert unknown["cosine"].isna().all() and list(unknown["same"]) == list(found["same"])
