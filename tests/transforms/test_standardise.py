import numpy as np
import pytest

from tests.transforms.test_whitening import skewed
from workbench.transforms import fit


def test_the_formula_by_hand():
    rows, new = skewed(), skewed(5, seed=1)
    deviation = np.sqrt(((rows - rows.mean(axis=0)) ** 2).mean(axis=0))
    assert fit("standardise", rows).transform(new) == pytest.approx((new - rows.mean(axis=0)) / deviation)


def test_a_dimension_that_never_varies_is_only_centred():
    rows = skewed(dtype=np.float32)
    rows[:, 3] = 7
    found = fit("standardise", rows).transform(rows)
    assert np.abs(found[:, 3]).max() < 1e-6 and found.dtype == np.float32
    assert found.std(axis=0)[[0, 1, 2, 4]] == pytest.approx(1, abs=1e-5)
