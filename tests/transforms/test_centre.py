import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone

from workbench.core.errors import BadData, UnknownName
from workbench.metrics.mean_cosine import mean_cosine
from workbench.transforms import METHODS, fit


def cone(rows=200, dim=8, dtype=np.float32):
    return (np.random.default_rng(0).normal(size=(rows, dim)) + 2).astype(dtype)


@pytest.mark.parametrize("name", METHODS)
def test_every_transform_is_a_scikit_learn_transformer(name):
    transformer = METHODS[name].fn()
    assert isinstance(transformer, TransformerMixin) and isinstance(transformer, BaseEstimator)
    assert clone(transformer).get_params() == transformer.get_params()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_centre_subtracts_the_mean_of_the_set_it_was_fitted_on(dtype):
    seen, new = cone(dtype=dtype), cone(dtype=dtype)[:3] * 2
    before = new.copy()
    centred = fit("centre", seen)
    assert centred.transform(seen).mean(axis=0) == pytest.approx(np.zeros(8), abs=1e-6)
    assert centred.transform(new) == pytest.approx(new - seen.mean(axis=0, dtype=np.float64), abs=1e-5)
    assert centred.transform(new).dtype == dtype
    assert (new == before).all() and (seen == cone(dtype=dtype)).all()


def test_centre_opens_the_cone():
    vectors = cone()
    assert mean_cosine(vectors) > 0.7
    assert abs(mean_cosine(fit("centre", vectors).transform(vectors))) < 0.02


def test_vectors_that_cannot_be_fitted_are_refused():
    with pytest.raises(BadData, match="at least 2"):
        fit("centre", cone(rows=1))
    with pytest.raises(BadData, match="NaN"):
        fit("centre", np.full((4, 4), np.nan))
    with pytest.raises(UnknownName, match="centre"):
        fit("center", cone())
