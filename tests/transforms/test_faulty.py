"""A plug-in's transform that is none, or that gives no vectors, is named."""

import numpy as np
import pytest
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from workbench.core.errors import BadMethod
from workbench.core.method import Method
from workbench.transforms import METHODS, fit, transformed

VECTORS = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)


@pytest.fixture
def faulty(monkeypatch):
    """A function that adds a method called `mine`."""

    def add(make):
        make.__name__ = "mine"
        monkeypatch.setitem(METHODS, "mine", Method(make, title="", source=""))

    return add


class Unfit(FunctionTransformer):
    """Its fit returns nothing."""

    def fit(self, rows, y=None):
        """Do nothing."""


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: None, "did not return a transformer with fit and transform.*Got: nothing"),
        (lambda: object(), "did not return a transformer.*Got: object"),
        (lambda: StandardScaler, "did not return a transformer.*Got: the class StandardScaler"),
        (lambda: Unfit(), "did not return a transformer whose fit returns itself.*Got: nothing"),
        (lambda: __import__("nowhere_to_be_found"), "failed: ModuleNotFoundError.*No module named"),
    ],
)
def test_what_is_no_transformer_is_refused(faulty, make, message):
    faulty(make)
    with pytest.raises(BadMethod, match=f"The transform mine {message}") as caught:
        fit("mine", VECTORS)
    assert f"It is in {__name__}." in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: OneHotEncoder(handle_unknown="ignore"),
            r"an array with a vector for each.*Got: csr_matrix of shape \(6, 24\)",
        ),
        (lambda: FunctionTransformer(lambda rows: rows[:-1]), r"an array.*shape \(5, 4\), float32, for 6 vectors"),
        (lambda: FunctionTransformer(lambda rows: rows.astype(str)), "an array.*<U"),
        (lambda: FunctionTransformer(lambda rows: rows / np.where(rows == rows[0], np.nan, 1)), "finite.*for 1 of 6"),
    ],
)
def test_what_is_no_vector_for_each_vector_is_refused(faulty, make, message):
    faulty(make)
    with pytest.raises(BadMethod, match=f"The transform mine did not return {message}") as caught:
        transformed("mine", fit("mine", VECTORS), VECTORS)
    assert f"It is in {__name__}." in str(caught.value)


def test_an_error_while_transforming_is_named(faulty):
    faulty(lambda: FunctionTransformer(lambda rows: rows @ np.ones(3)))
    with pytest.raises(BadMethod, match=r"The transform mine failed: ValueError.*Reason: matmul"):
        transformed("mine", fit("mine", VECTORS), VECTORS)
