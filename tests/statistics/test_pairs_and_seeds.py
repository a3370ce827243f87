import math

import numpy as np
import pytest

from workbench.core.errors import BadData
from workbench.statistics.bootstrap import paired_difference, spearman_interval
from workbench.statistics.correlation import spearman
from workbench.statistics.pairs_and_seeds import (
    difference_over_seeds,
    difference_parts,
    mean_over_seeds,
    resampled_rhos,
)


def test_a_difference_over_pairs_and_seeds_includes_seed_noise():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=300)
    base = np.stack([resampled_rhos(gold + rng.normal(size=300), gold, resamples=200) for _ in range(4)])
    good = np.stack([resampled_rhos(gold + 0.3 * rng.normal(size=300), gold, resamples=200) for _ in range(4)])
    found = difference_over_seeds(base, good, paired=True)
    assert found.low > 0 and found.p < 0.02
    assert found.delta == pytest.approx(good[:, 0].mean() - base[:, 0].mean())
    shaken = good + np.array([-0.4, -0.2, 0.2, 0.4])[:, None]
    wider = difference_over_seeds(base, shaken, paired=True)
    assert wider.high - wider.low > 2 * (found.high - found.low)
    parts = difference_parts(base, shaken, paired=True)
    apart = shaken[:, 0] - base[:, 0]
    assert parts.error > apart.std(ddof=1) / 2  # the pairs come on top
    assert 3 < parts.freedom < 4  # nearly all of it comes from four seeds
    same = difference_over_seeds(base, base, paired=True)
    assert same.low == same.high == same.delta == 0


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("seeds", [3, 5])
@pytest.mark.parametrize("spread", [(0.01, 0.0), (0.01, 0.003), (0.003, 0.003), (0.003, 0.01)])
def test_the_interval_of_no_difference_has_its_nominal_coverage(spread, seeds, paired):
    """Also with few seeds, whether the noise comes from seeds or from pairs."""
    of_seeds, of_pairs = spread
    rng = np.random.default_rng(0)
    missed, trials = 0, 1000
    for trial in range(trials):
        noise = np.concatenate([[0.0], rng.normal(0, of_pairs, 150)]) + rng.normal(0, of_pairs)
        base, other = rng.normal(0, of_seeds / np.sqrt(2), (2, seeds, 1)) + np.zeros((1, 1, 151))
        difference = difference_over_seeds(base, other + noise, paired=paired)
        missed += difference.low > 0 or difference.high < 0
        if trial < 20:
            assert (difference.p < 0.05) == (difference.low > 0 or difference.high < 0)
    assert missed / trials < 0.07
    if paired:  # two sides that have the same spread know more than either
        assert missed / trials > 0.025


def test_with_one_seed_it_is_the_paired_bootstrap_over_pairs():
    rng = np.random.default_rng(1)
    gold = rng.normal(size=200)
    one, two = (gold + scale * rng.normal(size=200) for scale in (1.0, 0.5))
    rows = [resampled_rhos(scores, gold, resamples=300) for scores in (one, two)]
    assert rows[0][0] == pytest.approx(spearman(one, gold))
    found, plain = difference_over_seeds(*rows, paired=False), paired_difference(one, two, gold, resamples=300)
    assert found == pytest.approx(plain)
    turned = difference_over_seeds(*rows[::-1], paired=False)
    assert turned == pytest.approx(paired_difference(two, one, gold, resamples=300)) and turned.p == found.p


@pytest.mark.parametrize("paired", [True, False])
def test_a_row_without_resamples_counts_as_a_seed(paired):
    rng = np.random.default_rng(2)
    one, two = rng.normal(0.7, 0.01, (2, 3, 201))
    lacking = two.copy()
    lacking[1, 1:] = np.nan
    whole, part = (difference_over_seeds(one, rows, paired=paired) for rows in (two, lacking))
    assert part.delta == whole.delta
    parts = [difference_parts(one, rows, paired=paired) for rows in (two, lacking)]
    assert parts[0].of_seeds == parts[1].of_seeds
    assert parts[0].of_pairs != parts[1].of_pairs
    one[:, 1:] = np.nan
    with pytest.raises(BadData, match="no row with resamples"):
        difference_over_seeds(one, two, paired=paired)


def test_rows_that_do_not_match_are_refused():
    with pytest.raises(BadData):
        difference_over_seeds(np.zeros((2, 5)), np.zeros((3, 5)), paired=True)
    with pytest.raises(BadData):
        difference_over_seeds(np.zeros((1, 5)), np.zeros((1, 6)), paired=False)
    with pytest.raises(BadData, match="a row of resamples"):
        mean_over_seeds([0.5])


@pytest.mark.parametrize("seeds", [np.array([-0.1, 0.1]), np.array([-0.1, 0.0, 0.1])])
def test_the_variance_over_pairs_is_counted_once_however_many_seeds_share_it(seeds):
    """rho = seed + pairs + both: the mean of k seeds has the variance of (seed + both) / k + pairs."""
    rng = np.random.default_rng(3)
    pairs, both = rng.normal(0, 0.02, 4000), rng.normal(0, 0.05, (len(seeds), 4000))
    rows = np.concatenate([seeds[:, None], seeds[:, None] + pairs + both], axis=1)
    mean = mean_over_seeds(rows)
    assert mean.of_pairs == pytest.approx(0.02**2, rel=0.1)
    assert mean.of_seeds == pytest.approx(seeds.var(ddof=1) / len(seeds))
    difference = difference_parts(np.zeros((1, 4001)), rows, paired=False)
    assert (difference.of_pairs, difference.of_seeds[0][0]) == pytest.approx((mean.of_pairs, mean.of_seeds))


def test_degrees_of_freedom_are_those_of_the_seeds_where_pairs_add_nothing_and_infinite_where_seeds_add_nothing():
    flat = np.array([0.1, 0.2, 0.6])[:, None] + np.zeros((3, 100))
    assert mean_over_seeds(flat).freedom == pytest.approx(2)
    same = np.zeros((3, 1)) + np.concatenate([[0.0], np.random.default_rng(4).normal(size=200)])
    assert mean_over_seeds(same).freedom == np.inf
    assert mean_over_seeds(flat).high - mean_over_seeds(flat).mean == pytest.approx(
        4.30265 * np.sqrt(0.07 / 3), rel=1e-4
    )


def test_the_mean_of_one_seed_is_the_bootstrap_of_its_pairs():
    rng = np.random.default_rng(5)
    gold = rng.normal(size=150)
    score = gold + rng.normal(size=150)
    rhos = resampled_rhos(score, gold, resamples=400)
    mean = mean_over_seeds(rhos)
    assert (mean.low, mean.high) == pytest.approx(spearman_interval(score, gold, resamples=400))
    assert np.isnan(mean.sd) and np.isnan(mean.of_seeds) and mean.n == 1
    assert mean.of_pairs == pytest.approx(np.var(rhos[1:], ddof=1), rel=1e-12) and mean.mean == rhos[0]


def test_what_two_paired_seeds_have_in_common_cancels():
    rng = np.random.default_rng(6)
    base = np.array([[0.2], [0.6]]) + rng.normal(0, 0.01, 101)
    paired, unpaired = (difference_parts(base, base + 0.05, paired=paired) for paired in (True, False))
    assert paired.of_seeds == ((pytest.approx(0, abs=1e-12), 1),) and paired.delta == pytest.approx(0.05)
    assert unpaired.of_seeds == ((pytest.approx(0.2**2), 1),) * 2


def test_seeds_that_score_the_same_leave_the_width_of_the_pairs():
    """Their spread of 0 contains no interaction of seeds and pairs, so none is taken off."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([np.full(2, 0.5), 0.5 + 0.1 * rng.standard_normal((2, 1000))])
    over = rows[:, 1:].mean(axis=0).var(ddof=1)
    mean = mean_over_seeds(rows)
    assert mean.of_seeds == 0 and mean.of_pairs == pytest.approx(over)
    assert mean.high - mean.low == pytest.approx(2 * 1.959964 * math.sqrt(over))
    for paired in (False, True):
        difference = difference_over_seeds(np.full((2, 1001), 0.4), rows, paired=paired)
        assert difference.high - difference.low == pytest.approx(mean.high - mean.low)


def test_seeds_that_happen_to_agree_do_not_make_a_difference_certain():
    """Of methods that differ by their interactions of seeds and pairs alone, the spread over few seeds is small by chance now and
    then. What is left of the pairs without the interaction is then noise, and no variance that is known.
    """
    rng = np.random.default_rng(1)
    p_values, narrower = [], 0
    for _ in range(2000):
        found = rng.normal(0, 1e-3, 2)[:, None]
        rows = np.column_stack([found, found + rng.normal(0, 1e-3, (2, 400))])
        parts = difference_parts(np.zeros_like(rows), rows, paired=True)
        narrower += parts.error < rows[:, 1:].mean(axis=0).std(ddof=1) * (1 - 1e-9)
        p_values.append(difference_over_seeds(np.zeros_like(rows), rows, paired=True).p)
    assert narrower == 0
    assert np.mean(np.array(p_values) < 0.001) < 0.003 and np.mean(np.array(p_values) < 0.05) < 0.06


def test_intervals_end_where_correlations_do():
    """Two seeds that lie apart: Student's t of one degree of freedom is 12.7."""
    apart = [[0.6, 0.59, 0.61], [0.9, 0.89, 0.91]]
    mean = mean_over_seeds(apart)
    assert (mean.low, mean.high) == (-1, 1)
    difference = difference_over_seeds(apart, [[0.8, 0.79, 0.81]], paired=False)
    assert -2 <= difference.low < difference.high <= 2
    wide = difference_over_seeds([[-1, -1, -1], [1, 1, 1]], [[1, 1, 1], [-1, -1, -1]], paired=True)
    assert (wide.low, wide.high) == (-2, 2)
