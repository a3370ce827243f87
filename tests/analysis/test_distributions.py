"""Cosines by gold score, and positives against random pairs: by loops, by known distributions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from workbench.analysis.cosine_overlap import cosine_overlap
from workbench.analysis.gold_buckets import bucket_of, gold_buckets
from workbench.core.errors import BadData

PAIRS = st.lists(
    st.tuples(st.integers(0, 10).map(lambda x: x / 10), st.integers(0, 50).map(lambda x: x / 10)),
    min_size=1,
    max_size=30,
)


@given(PAIRS)
def test_buckets_are_points_of_a_scale_to_five(pairs):
    cosines, golds = zip(*pairs, strict=True)
    table = gold_buckets(cosines, golds)
    assert table[["low", "high"]].values.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]]
    for bucket in range(5):
        inside = [c for c, g in pairs if bucket <= g < bucket + 1 or (bucket == 4 and g == 5)]
        row = table.iloc[bucket]
        assert row["n"] == len(inside)
        if inside:
            assert [row["q1"], row["median"], row["q3"]] == pytest.approx(np.percentile(inside, [25, 50, 75]))
            assert row["share_above"] == pytest.approx(sum(c > 0.6 for c in inside) / len(inside))
        else:
            assert math.isnan(row["median"])
    high, low = [c for c, g in pairs if g >= 4], [c for c, g in pairs if g < 2]
    assert (table.attrs["n_high"], table.attrs["n_low"]) == (len(high), len(low))
    if high and low:
        wins = sum((one > other) + (one == other) / 2 for one in high for other in low)
        assert table.attrs["auc"] == pytest.approx(wins / len(high) / len(low))
    else:
        assert table.attrs["auc"] is None
    assert table.attrs["share_above"] == pytest.approx(sum(c > 0.6 for c in cosines) / len(cosines))


def test_another_scale_has_its_own_fifths():
    assert bucket_of(np.array([1.0, 1.8, 2.6, 3.4, 4.2, 5.0]), 1, 4).tolist() == [0, 1, 2, 3, 4, 4]
    table = gold_buckets([0.1, 0.2, 0.8], [1, 2.5, 4.2], lowest=1, width=4)
    assert table["n"].tolist() == [1, 1, 0, 0, 1] and table.attrs["auc"] == 1


def test_a_scale_without_width_and_no_pairs_are_refused():
    with pytest.raises(BadData, match="no width"):
        gold_buckets([0.1], [1], lowest=2, width=0)
    with pytest.raises(BadData, match="no pairs"):
        gold_buckets([], [])


@pytest.mark.parametrize("distance", [0.0, 1.0, 3.0])
def test_the_overlap_of_two_normal_distributions_is_known(distance):
    rng = np.random.default_rng(0)
    table = cosine_overlap(rng.normal(distance, 1, 20_000), rng.normal(0, 1, 20_000))
    assert table.attrs["overlap"] == pytest.approx(2 * norm.cdf(-distance / 2), abs=0.03)
    assert table.attrs["auc"] == pytest.approx(norm.cdf(distance / math.sqrt(2)), abs=0.01)


def test_densities_are_kernel_estimates_with_scotts_bandwidth():
    positives, random = [0.5, 0.7, 0.9], [0.0, 0.1, 0.3, 0.2]
    table = cosine_overlap(positives, random, points=64)
    for name, sample in (("positives", positives), ("random", random)):
        width = np.std(sample, ddof=1) * len(sample) ** (-1 / 5)
        for cosine, density in zip(table["cosine"], table[name], strict=True):
            by_hand = sum(math.exp(-(((cosine - value) / width) ** 2) / 2) for value in sample)
            assert density == pytest.approx(by_hand / len(sample) / width / math.sqrt(2 * math.pi))
        assert np.trapezoid(table[name], table["cosine"]) == pytest.approx(1, abs=0.01)
    least = np.minimum(table["positives"], table["random"])
    assert table.attrs["overlap"] == pytest.approx(np.trapezoid(least, table["cosine"]))
    assert (table.attrs["positives"], table.attrs["random"]) == (3, 4)


@pytest.mark.parametrize("few", [[], [0.4], [0.4, 0.4, 0.4]])
def test_without_two_different_values_there_is_no_density(few):
    table = cosine_overlap(few, [0.1, 0.2])
    assert table.attrs["overlap"] is None and table["positives"].isna().all()
    with pytest.raises(BadData, match="NaN"):
        cosine_overlap([np.nan], [0.1, 0.2])
