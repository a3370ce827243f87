import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from workbench.core.errors import BadData, BadSetting
from workbench.transforms import FewTexts, fit


def skewed(rows=300, dim=8, seed=0, dtype=np.float64):
    """Vectors away from the origin, with different variances along rotated axes."""
    rng = np.random.default_rng(seed)
    tilt, _ = np.linalg.qr(rng.normal(size=(dim, dim)))
    return (rng.normal(size=(rows, dim)) * np.geomspace(5, 0.1, dim) @ tilt + 3).astype(dtype)


def cosines(rows):
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit @ unit.T


def test_the_formula_by_hand():
    """mu = (1, 2); covariance [[12/11, 0], [0, 48/11]] with divisor n - 1."""
    rows = np.repeat(np.array([[2.0, 4.0], [2.0, 0.0], [0.0, 4.0], [0.0, 0.0]]), 3, axis=0)
    white = fit("whitening", rows).transform(np.array([[3.0, 4.0]]))
    by_hand = np.array([(4 - 2) / np.sqrt(48 / 11), (3 - 1) / np.sqrt(12 / 11)])
    assert np.abs(white[0]) == pytest.approx(by_hand)
    short = fit("whitening", rows, normalise=True).transform(np.array([[3.0, 4.0]]))
    assert np.abs(short[0]) == pytest.approx(by_hand / np.linalg.norm(by_hand))


@pytest.mark.parametrize("k", [0, 3, 8])
def test_the_set_it_was_fitted_on_has_mean_0_and_covariance_1(k):
    rows = skewed()
    white = fit("whitening", rows, k=k).transform(rows)
    assert white.shape == (300, k or 8)
    assert np.abs(white.mean(axis=0)).max() < 1e-12
    assert np.abs(np.cov(white.T) - np.eye(k or 8)).max() < 1e-11


@pytest.mark.parametrize("k", [2, 5, 8])
def test_equals_scikit_learns_whitening(k):
    rows, new = skewed(), skewed(20, seed=1)
    ours = fit("whitening", rows, k=k).transform(new)
    theirs = PCA(n_components=k, whiten=True, svd_solver="full").fit(rows).transform(new)
    assert ours @ ours.T == pytest.approx(theirs @ theirs.T, abs=1e-9)  # the signs of axes are arbitrary


@settings(max_examples=25)
@given(seed=st.integers(0, 2**16))
def test_a_rotation_beforehand_changes_no_cosine(seed):
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(8, 8)))
    rows, new = skewed(), skewed(10, seed=1)
    plain = fit("whitening", rows, k=5).transform(new)
    turned = fit("whitening", rows @ turn, k=5).transform(new @ turn)
    assert cosines(turned) == pytest.approx(cosines(plain), abs=1e-8)


def test_all_directions_keep_mahalanobis_distances():
    rows, new = skewed(), skewed(10, seed=1)
    white = fit("whitening", rows).transform(new)
    inverse = np.linalg.inv(np.cov(rows.T))
    for first, second, one, two in zip(new, new[::-1], white, white[::-1], strict=True):
        assert np.linalg.norm(one - two) == pytest.approx(np.sqrt((first - second) @ inverse @ (first - second)))


def test_float32_is_kept_and_the_input_is_not_modified():
    rows = skewed(dtype=np.float32)
    before = rows.copy()
    white = fit("whitening", rows).transform(rows)
    assert white.dtype == np.float32 and (rows == before).all()
    assert np.abs(np.cov(white.T) - np.eye(8)).max() < 1e-5


def test_as_many_texts_as_dimensions_warns():
    rows = skewed(8)
    with pytest.warns(FewTexts, match="8 texts for 8 dimensions and keeps 7: all of these texts are now equally far"):
        fitted = fit("whitening", rows)
    assert "equally far" in fitted.few_
    white = fitted.transform(rows)
    assert white.shape == (8, 7) and cosines(white)[np.triu_indices(8, 1)] == pytest.approx(-1 / 7)
    with pytest.warns(FewTexts, match="mostly chance"):
        assert fit("whitening", rows, k=3).transform(rows).shape == (8, 3)
    with pytest.warns(FewTexts, match="16 texts for 8 dimensions and keeps 8: with so few"):
        fit("whitening", skewed(16))


def test_directions_without_variance_are_left_out_with_a_warning():
    rows = skewed()
    rows[:, 5:] = rows[:, :3] * 2 + 1
    with pytest.warns(FewTexts, match="keeps 5: the texts do not vary"):
        white = fit("whitening", rows).transform(rows)
    assert np.abs(np.cov(white.T) - np.eye(5)).max() < 1e-9
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fit("whitening", rows, k=4).few_ == ""
    with pytest.warns(FewTexts, match="keeps 5"):
        assert fit("whitening", rows, k=100).transform(rows).shape == (300, 5)


def test_more_directions_than_dimensions_are_said_to_be_that():
    with pytest.warns(
        FewTexts, match=r"300 texts for 8 dimensions and keeps 8: k, 4,096, is larger than the 8 dimensions\.$"
    ):
        assert fit("whitening", skewed(), k=4096).transform(skewed()).shape == (300, 8)


def test_vectors_that_cannot_be_fitted_are_refused():
    with pytest.raises(BadSetting, match="k cannot be -1"):
        fit("whitening", skewed(), k=-1)
    with pytest.raises(BadData, match="NaN"):
        fit("whitening", np.full((4, 4), np.nan))
    with pytest.raises(BadData, match=r"vectors that differ.*9 equal vectors"):
        fit("whitening", np.full((9, 3), 0.1))
