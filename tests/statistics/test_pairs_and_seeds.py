import numpy as np
import pytest

from workbench.core.errors import BadData
from workbench.statistics.bootstrap import paired_difference
from workbench.statistics.correlation import spearman
from workbench.statistics.pairs_and_seeds import difference_over_seeds, resampled_rhos


def test_a_difference_over_pairs_and_seeds_has_seed_noise_in_it():
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
    same = difference_over_seeds(base, base, paired=True)
    assert same.low == same.high == same.delta == 0


def test_with_one_seed_it_is_the_paired_bootstrap_over_pairs():
    rng = np.random.default_rng(1)
    gold = rng.normal(size=200)
    one, two = (gold + scale * rng.normal(size=200) for scale in (1.0, 0.5))
    rows = [resampled_rhos(scores, gold, resamples=300) for scores in (one, two)]
    assert rows[0][0] == pytest.approx(spearman(one, gold))
    found, plain = difference_over_seeds(*rows, paired=False), paired_difference(one, two, gold, resamples=300)
    assert found == pytest.approx(plain)


def test_rows_that_do_not_fit_together_are_refused():
    with pytest.raises(BadData):
        difference_over_seeds(np.zeros((2, 5)), np.zeros((3, 5)), paired=True)
    with pytest.raises(BadData):
        difference_over_seeds(np.zeros((1, 5)), np.zeros((1, 6)), paired=False)
