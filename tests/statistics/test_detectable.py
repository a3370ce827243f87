import math

import numpy as np
import pytest
from scipy.stats import chi2, nct, t

from workbench.core.errors import BadSetting
from workbench.statistics.detectable import needed, smallest_detectable
from workbench.statistics.pairs_and_seeds import Parts


def parts(of_pairs=0.0, of_seeds=()):
    return Parts(0.0, of_pairs, of_seeds, np.zeros(2))


def test_the_smallest_difference_is_that_of_the_normal_test_and_with_few_seeds_of_the_noncentral_t():
    assert smallest_detectable(0.01) == pytest.approx(0.01 * (1.959964 + 0.841621), rel=1e-6)
    for freedom, alpha in ((1, 0.05), (2, 0.05), (2, 0.0018), (4, 0.005), (30, 0.05), (999, 0.05)):
        found = smallest_detectable(1.0, freedom, alpha=alpha)
        assert nct.sf(t.ppf(1 - alpha / 2, freedom), freedom, found) == pytest.approx(0.8, abs=1e-4)
    assert smallest_detectable(0.01, 2) == pytest.approx(0.01 * smallest_detectable(1.0, 2))
    assert smallest_detectable(1.0, 1001) == pytest.approx(smallest_detectable(1.0, 999), rel=2e-3)
    assert smallest_detectable(0.01, power=0.5) == pytest.approx(0.01 * 1.959964, rel=1e-6)
    with pytest.raises(BadSetting):
        smallest_detectable(0.01, power=0.01)


def test_pairs_are_needed_in_inverse_proportion_to_the_square_of_the_difference():
    """One training on either side: the standard error over 1,000 pairs is 1 point, so 2.8 points are found with 1,000."""
    own = parts(of_pairs=0.01**2)
    assert needed(own, 1000, 0.0280159).pairs == pytest.approx(1000, abs=1)
    assert needed(own, 1000, 0.01400795).pairs == pytest.approx(4000, abs=2)
    assert needed(own, 1000, 0.01).seeds is None  # of seeds nothing is known


def test_seeds_are_needed_until_their_t_test_finds_the_difference():
    found = 0.01
    own = parts(of_seeds=((0.01**2 / 3, 2),))
    deviation = 0.01 * math.sqrt(2 / chi2.ppf(0.3, 2))  # what it is at most with 70 %
    count = needed(own, 1000, found).seeds
    errors = [smallest_detectable(deviation / math.sqrt(seeds), seeds - 1) for seeds in (count - 1, count)]
    assert errors[0] > found >= errors[1]
    assert 23 <= count <= 26  # 22.0 by the normal approximation
    with_three = smallest_detectable(deviation / math.sqrt(3), 2)  # by a t of two degrees of freedom
    assert [needed(own, 1000, with_three * part).seeds for part in (1 + 1e-9, 1 - 1e-9)] == [3, 4]
    assert needed(own, 1000, 1.0).seeds == 2, "one seed has no spread"


def test_no_number_of_pairs_removes_the_spread_over_seeds_and_no_number_of_seeds_that_over_pairs():
    own = parts(of_pairs=0.01**2, of_seeds=((0.01**2, 2),))
    both = needed(own, 1000, 0.005)
    assert both.pairs is None and both.seeds is None
    assert needed(own, 1000, 0.2).pairs is not None
    with pytest.raises(BadSetting, match="above 0"):
        needed(own, 1000, 0.0)
