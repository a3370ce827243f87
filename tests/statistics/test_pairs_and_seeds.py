import numpy as np
import pytest

from workbench.core.errors import BadData
from workbench.statistics.bootstrap import paired_difference
from workbench.statistics.correlation import spearman
from workbench.statistics.paired_seeds import paired_over_seeds
from workbench.statistics.pairs_and_seeds import difference_over_seeds, resampled_rhos


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
    by_t = paired_over_seeds(dict(enumerate(base[:, 0])), dict(enumerate(shaken[:, 0])))
    assert wider.high - wider.low > by_t.high - by_t.low  # the pairs come on top
    same = difference_over_seeds(base, base, paired=True)
    assert same.low == same.high == same.delta == 0


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("seeds", [2, 3, 5])
@pytest.mark.parametrize("spread", [(0.01, 0.0), (0.01, 0.003), (0.003, 0.003), (0.003, 0.01)])
def test_the_interval_of_no_difference_has_its_nominal_coverage(spread, seeds, paired):
    """Also with few seeds, whether the noise comes from seeds or from pairs."""
    of_seeds, of_pairs = spread
    rng = np.random.default_rng(0)
    missed, trials = 0, 500
    for trial in range(trials):
        noise = np.concatenate([[0.0], rng.normal(0, of_pairs, 150)]) + rng.normal(0, of_pairs)
        base, other = rng.normal(0, of_seeds / np.sqrt(2), (2, seeds, 1)) + np.zeros((1, 1, 151))
        found = difference_over_seeds(base, other + noise, paired=paired)
        missed += found.low > 0 or found.high < 0
        if trial < 20:
            assert (found.p < 0.05) == (found.low > 0 or found.high < 0)
    assert missed / trials < 0.05 + 0.0195  # 95 % of 500 trials lie within .0195 of .05
    assert missed or not paired  # of two unpaired seeds it is wider than it need be


def test_with_one_seed_it_is_the_paired_bootstrap_over_pairs():
    rng = np.random.default_rng(1)
    gold = rng.normal(size=200)
    one, two = (gold + scale * rng.normal(size=200) for scale in (1.0, 0.5))
    rows = [resampled_rhos(scores, gold, resamples=300) for scores in (one, two)]
    assert rows[0][0] == pytest.approx(spearman(one, gold))
    found, plain = difference_over_seeds(*rows, paired=False), paired_difference(one, two, gold, resamples=300)
    assert found == pytest.approx(plain)


@pytest.mark.parametrize("paired", [True, False])
def test_a_row_without_resamples_counts_as_a_seed(paired):
    rng = np.random.default_rng(2)
    one, two = rng.normal(0.7, 0.01, (2, 3, 201))
    lacking = two.copy()
    lacking[1, 1:] = np.nan
    whole, part = (difference_over_seeds(one, rows, paired=paired) for rows in (two, lacking))
    assert part.delta == whole.delta
    rest = two[[0, 2], 1:].mean(axis=0) - one[[0, 2] if paired else [0, 1, 2], 1:].mean(axis=0)
    pairs = [1.959964**2 * deltas.var(ddof=1) for deltas in (rest, two[:, 1:].mean(axis=0) - one[:, 1:].mean(axis=0))]
    halves = [(found.high - found.low) / 2 for found in (part, whole)]
    assert halves[0] ** 2 - halves[1] ** 2 == pytest.approx(pairs[0] - pairs[1])  # the seeds' part is the same
    one[:, 1:] = np.nan
    with pytest.raises(BadData, match="no row with resamples"):
        difference_over_seeds(one, two, paired=paired)


def test_rows_that_do_not_match_are_refused():
    with pytest.raises(BadData):
        difference_over_seeds(np.zeros((2, 5)), np.zeros((3, 5)), paired=True)
    with pytest.raises(BadData):
        difference_over_seeds(np.zeros((1, 5)), np.zeros((1, 6)), paired=False)
