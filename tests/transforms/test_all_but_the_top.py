import numpy as np
import pytest

from tests.transforms.test_whitening import skewed
from workbench.transforms import FewTexts, fit


def test_the_formula_by_hand():
    rows = skewed(dim=5)
    mean = rows.mean(axis=0)
    values, axes = np.linalg.eigh(np.cov(rows.T))
    top = axes[:, np.argsort(-values)[:2]].T
    expected = []
    for row in rows:
        left = row - mean
        expected.append(left - sum((axis @ (row - mean)) * axis for axis in top))
    assert fit("all_but_the_top", rows, directions=2).transform(rows) == pytest.approx(np.array(expected))


def test_removed_directions_are_zero():
    rows, new = skewed(), skewed(20, seed=1)
    fitted = fit("all_but_the_top", rows, directions=3)
    left = fitted.transform(new)
    assert fitted.components_.shape == (3, 8) and np.abs(left @ fitted.components_.T).max() < 1e-12
    # On what is centred already, removing once is removing for good.
    assert left - left @ fitted.components_.T @ fitted.components_ == pytest.approx(left)


def test_zero_directions_equal_centring():
    rows = skewed()
    assert fit("all_but_the_top", rows, directions=0).transform(rows) == pytest.approx(
        fit("centre", rows).transform(rows)
    )


def test_fitting_on_the_output_finds_mean_0():
    rows = skewed()
    left = fit("all_but_the_top", rows, directions=2).transform(rows)
    assert np.abs(fit("all_but_the_top", left, directions=2).mean_).max() < 1e-12


@pytest.mark.parametrize(("dim", "directions"), [(40, 0), (50, 1), (80, 1), (250, 3), (384, 4), (768, 8)])
def test_a_hundredth_of_the_dimensions_by_default(dim, directions):
    rows = np.random.default_rng(0).normal(size=(dim + 10, dim))
    assert fit("all_but_the_top", rows).components_.shape[0] == directions


def test_few_texts_warn_and_the_dtype_is_kept():
    rows = skewed(6, dtype=np.float32)
    with pytest.warns(FewTexts, match="6 texts for 8 dimensions"):
        assert fit("all_but_the_top", rows, directions=2).transform(rows).dtype == np.float32
    assert (rows == skewed(6, dtype=np.float32)).all()
