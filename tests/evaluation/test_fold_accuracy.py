"""All folds at once have the accuracies of a fit for each."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from workbench.evaluation._fold_accuracy import of_folds

STRENGTHS = (0.25, 1.0, 8.0)


def data(rows, dim, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(rows, dim))
    scores = vectors @ rng.normal(size=(dim, classes)) + rng.normal(scale=2.0, size=(rows, classes))
    return vectors, scores.argmax(axis=1)


def fitted(vectors, classes, strength):
    return LogisticRegression(solver="newton-cholesky", C=strength, tol=1e-8).fit(vectors, classes)


@pytest.mark.parametrize(
    ("rows", "dim", "folds", "shift"), [(600, 12, 5, 0), (600, 12, 5, 3), (600, 30, 5, 0), (100, 3, 2, 3)]
)
def test_they_are_those_of_a_fit_for_each_fold(rows, dim, folds, shift):
    """Also with so few rows that it matters that the fit on all of them, from which each starts, knows the held-out ones."""
    vectors, classes = data(rows, dim, seed=1)
    vectors += shift  # an intercept that matters
    parts = list(StratifiedKFold(folds, shuffle=True, random_state=1).split(vectors, classes))
    found = of_folds(
        vectors,
        classes,
        STRENGTHS,
        [held_out for _, held_out in parts],
        lambda strength: fitted(vectors, classes, strength),
    )
    expected = [
        [fitted(vectors[own], classes[own], strength).score(vectors[others], classes[others]) for own, others in parts]
        for strength in STRENGTHS
    ]
    assert found is not None and found.accuracy == pytest.approx(np.array(expected), abs=1e-12)
    assert len(found.predict) == len(STRENGTHS) and set(found.predict[0](vectors)) == {0, 1}


@pytest.mark.parametrize(("rows", "dim", "classes"), [(60, 12, 2), (600, 12, 3)])
def test_few_rows_or_more_classes_take_a_fit_for_each(rows, dim, classes):
    vectors, labels = data(rows, dim, classes)
    halves = [np.arange(rows // 2), np.arange(rows // 2, rows)]
    assert of_folds(vectors, labels, STRENGTHS, halves, lambda _: pytest.fail("fitted")) is None
