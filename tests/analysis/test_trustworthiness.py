"""Trustworthiness, against scikit-learn's and by hand; and t-SNE, which is judged by it."""

import numpy as np
import pytest
from sklearn.manifold import trustworthiness as reference

from workbench.analysis import _trustworthiness
from workbench.analysis._trustworthiness import trustworthiness
from workbench.analysis.projection import projection
from workbench.core.errors import BadData
from workbench.core.rows import unit_rows


def rows(n=80, dim=12, seed=0):
    return unit_rows(np.random.default_rng(seed).normal(size=(n, dim)))


@pytest.mark.parametrize("n", [3, 7, 31, 80])
def test_it_is_scikit_learns(n):
    unit, plane = rows(n), np.random.default_rng(1).normal(size=(n, 2))
    trust = trustworthiness(unit, plane)
    assert trust.neighbours == min(15, (n - 1) // 2) and trust.rows == n
    assert trust.value == pytest.approx(reference(unit, plane, n_neighbors=trust.neighbours, metric="cosine"))


def test_a_picture_that_swaps_two_points_by_hand():
    """Angles 0, 10, 30, 60 degrees, with one neighbour each; in the plane the second and the third have changed places."""
    angles = np.radians([0, 10, 30, 60])
    unit = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert trustworthiness(unit, np.array([[0, 0], [10, 0], [30, 0], [60, 0]])).value == 1
    # Nearest in the plane: 0 -> row 2, of rank 2; row 2 -> 0, rank 2; row 1 -> row 2, rank 2; row 3 -> row 1, rank 2.
    swapped = trustworthiness(unit, np.array([[0, 0], [30, 0], [10, 0], [60, 0]]))
    assert swapped == (1 - 2 * 4 / (4 * 1 * (2 * 4 - 3 - 1)), 1, 4)


def test_of_many_rows_a_sample_is_asked(monkeypatch):
    unit, plane = rows(600), rows(600)[:, :2]
    whole = trustworthiness(unit, plane)
    monkeypatch.setattr(_trustworthiness, "MOST_COSINES", 1000)
    monkeypatch.setattr(_trustworthiness, "_BLOCK_COSINES", 1000)
    some = trustworthiness(unit, plane)
    assert some.rows == 200 and some == trustworthiness(unit, plane)
    assert some.value == pytest.approx(whole.value, abs=0.05)


@pytest.mark.parametrize("method", ["pca", "cone"])
def test_it_stands_beside_every_projection(method):
    vectors = np.random.default_rng(2).normal(size=(60, 9)) + 1
    table = projection(vectors, method=method)
    expected = reference(unit_rows(vectors), table[["x", "y"]].to_numpy(), n_neighbors=15, metric="cosine")
    assert table.attrs["trustworthiness"] == pytest.approx(expected, abs=1e-3)
    assert (table.attrs["trust_neighbours"], table.attrs["trust_rows"]) == (15, 60)


@pytest.mark.slow
def test_tsne_keeps_groups_together_and_is_the_same_again():
    groups = np.repeat([0, 1, 2], 20)
    vectors = np.eye(8)[groups] + 0.1 * np.random.default_rng(0).normal(size=(60, 8))
    first = projection(vectors, method="tsne", seed=1)
    assert first.equals(projection(vectors, method="tsne", seed=1)) and first.attrs["drawn_mean_cosine"] is None
    points = first[["x", "y"]].to_numpy()
    middles = np.stack([points[groups == group].mean(axis=0) for group in range(3)])
    assert (np.linalg.norm(points[:, None] - middles, axis=2).argmin(axis=1) == groups).all()
    assert first.attrs["trustworthiness"] > projection(vectors, method="pca").attrs["trustworthiness"] - 0.02


@pytest.mark.slow
@pytest.mark.parametrize("vectors", [np.eye(5), np.tile([[1.0, 2.0, 2.0]], (9, 1)), np.repeat(np.eye(4), 10, axis=0)])
def test_tsne_places_few_rows_and_copies(vectors):
    assert np.isfinite(projection(vectors, method="tsne")[["x", "y"]]).all(axis=None)


def test_tsne_refuses_too_many_and_too_few():
    with pytest.raises(BadData, match=r"too many points for t-SNE.*at most 10,000"):
        projection(np.ones((10_001, 2)), method="tsne")
    with pytest.raises(BadData, match="at least 5"):
        projection(np.eye(4), method="tsne")
