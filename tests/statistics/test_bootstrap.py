import time

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.errors import BadData
from workbench.statistics import bootstrap
from workbench.statistics.bootstrap import (
    holm,
    paired_difference,
    resampled,
    spearman_interval,
    weighted_rhos,
)
from workbench.statistics.correlation import UndefinedCorrelation, average_ranks, spearman
from workbench.statistics.seeds import over_seeds


def scored(pairs=300, noise=1.0, seed=0):
    """Gold scores with ties, as people give them, and cosines that correlate with them."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 26, pairs) / 5
    return np.round(gold + rng.normal(size=pairs) * noise * 2, 2), gold


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30))
def test_average_ranks_equal_scipys(values):
    assert average_ranks(values).tolist() == scipy.stats.rankdata(values).tolist()


@given(st.integers(0, 500))
@settings(max_examples=25)
def test_spearman_equals_scipys(seed):
    cosine, gold = scored(50, seed=seed)
    assert spearman(cosine, gold) == pytest.approx(scipy.stats.spearmanr(cosine, gold).statistic, abs=1e-12)


def test_spearman_depends_on_ranks_only():
    cosine, gold = scored()
    assert spearman(np.exp(cosine), gold) == pytest.approx(spearman(cosine, gold))
    order = np.random.default_rng(1).permutation(len(gold))
    assert spearman(cosine[order], gold[order]) == pytest.approx(spearman(cosine, gold))


@pytest.mark.parametrize(("cosine", "gold"), [([0.5, 0.5, 0.5], [1, 2, 3]), ([0.5], [1]), ([], [])])
def test_undefined_is_zero_with_a_warning(cosine, gold):
    with pytest.warns(UndefinedCorrelation):
        assert spearman(cosine, gold) == 0.0


def test_two_pairs_are_enough():
    assert spearman([0.1, 0.9], [1, 2]) == 1.0 and spearman([0.9, 0.1], [1, 2]) == -1.0


def test_scores_that_cannot_be_ranked_are_named():
    with pytest.raises(BadData, match="one score for each gold"):
        spearman([0.1, 0.2], [1])
    with pytest.raises(BadData, match="NaN"):
        spearman([0.1, np.nan], [1, 2])
    with pytest.raises(BadData, match="at least one pair"):
        spearman_interval([], [])


def test_every_resample_has_its_own_ranks():
    """Weighted ranks against scipy on pairs that are repeated."""
    cosine, gold = scored(40)
    counts = next(resampled(40, 50, seed=3))
    assert (counts.sum(axis=0) == 40).all()
    found = weighted_rhos(counts, (cosine,), gold)[0]
    for row, weights in enumerate(counts.T.astype(int)):
        repeated = np.repeat(np.arange(40), weights)
        want = scipy.stats.spearmanr(cosine[repeated], gold[repeated]).statistic
        assert found[row] == pytest.approx(want, abs=1e-12)


def test_as_many_resamples_as_asked_for_and_the_same_in_blocks_of_any_size(monkeypatch):
    whole = np.concatenate(list(resampled(30, 50, seed=1)), axis=1)
    assert whole.shape == (30, 50) and (whole.sum(axis=0) == 30).all()
    for cells in (1, 210):  # one resample a block, and seven, which does not divide 50
        monkeypatch.setattr(bootstrap, "_CELLS", cells)
        assert np.array_equal(np.concatenate(list(resampled(30, 50, seed=1)), axis=1), whole)


def test_a_resample_of_equal_scores_counts_as_zero():
    counts = np.array([[2.0, 1.0], [0.0, 1.0]])
    assert weighted_rhos(counts, (np.array([0.1, 0.2]),), np.array([1.0, 2.0])).tolist() == [[0.0, 1.0]]


def test_the_interval_has_its_nominal_coverage():
    rng = np.random.default_rng(0)
    truth = 6 / np.pi * np.arcsin(0.7 / 2)  # Spearman of a normal pair with correlation .7
    hits = 0
    for seed in range(100):
        x = rng.normal(size=150)
        low, high = spearman_interval(0.7 * x + np.sqrt(1 - 0.49) * rng.normal(size=150), x, resamples=300, seed=seed)
        hits += low <= truth <= high
    assert 86 <= hits <= 100


def test_same_seed_same_interval():
    cosine, gold = scored()
    assert spearman_interval(cosine, gold, seed=1) == spearman_interval(cosine, gold, seed=1)
    assert spearman_interval(cosine, gold, seed=1) != spearman_interval(cosine, gold, seed=2)
    low, high = spearman_interval(cosine, gold)
    assert low < spearman(cosine, gold) < high


def test_paired_difference():
    worse, gold = scored(noise=2.0)
    better, _ = scored(noise=0.5)
    delta, low, high, p = paired_difference(worse, better, gold)
    assert delta == pytest.approx(spearman(better, gold) - spearman(worse, gold))
    assert 0 < low < delta < high and p == pytest.approx(2 / 2001)
    turned = paired_difference(better, worse, gold)
    assert turned == pytest.approx((-delta, -high, -low, p))
    same = paired_difference(worse, worse, gold)
    assert same == (0.0, 0.0, 0.0, 1.0)


def test_paired_interval_is_narrower_than_an_unpaired_one():
    cosine, gold = scored(noise=1.0)
    near = cosine + np.random.default_rng(5).normal(size=len(gold)) * 0.05
    _, low, high, _ = paired_difference(cosine, near, gold)
    alone = spearman_interval(cosine, gold)
    assert high - low < (alone.high - alone.low) / 5


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_never_lowers_p_and_keeps_the_order(p_values):
    adjusted = holm(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    assert [adjusted[index] for index in order] == sorted(adjusted)


def test_holm_adjusts_for_no_fewer_tests_than_there_are():
    assert holm([0.01, 0.04], family=1) == holm([0.01, 0.04]) == [0.02, 0.04]


def test_the_ends_are_the_quantiles_of_the_level_asked_for():
    (one, gold), (other, _) = scored(60, seed=1), scored(60, seed=1, noise=2.0)
    rhos = np.concatenate([weighted_rhos(counts, (one, other), gold) for counts in resampled(60, 200, 0)], axis=1)
    found = spearman_interval(one, gold, resamples=200, level=0.5)
    assert found == pytest.approx(np.quantile(rhos[0], [0.25, 0.75]))
    _, low, high, _ = paired_difference(one, other, gold, resamples=200, level=0.5)
    assert (low, high) == pytest.approx(np.quantile(rhos[1] - rhos[0], [0.25, 0.75]))


def test_two_thousand_resamples_of_the_benchmark_take_less_than_a_second():
    cosine, gold = scored(1379)
    start = time.process_time()
    spearman_interval(cosine, gold)
    assert time.process_time() - start < 3  # about 0.25 s alone


def test_over_seeds():
    published = [0.7532, 0.7526, 0.7452, 0.7457, 0.7488, 0.7478, 0.7651, 0.7395, 0.7562, 0.7623]
    found = over_seeds(published)
    assert (round(found.mean, 4), round(found.sd, 4), found.n) == (0.7516, 0.0079, 10)
    low, high = scipy.stats.t.interval(0.95, 9, loc=found.mean, scale=found.sd / np.sqrt(10))
    assert (found.low, found.high) == pytest.approx((low, high))
    alone = over_seeds([0.7])
    assert alone.mean == 0.7 and np.isnan(alone.sd) and np.isnan(alone.low)
    with pytest.raises(BadData, match="at least one"):
        over_seeds([])
