"""UMAP against its formulas in loops, and against umap-learn."""

import importlib
import math
import sys

import numpy as np
import pytest

from workbench.analysis import _umap
from workbench.analysis.projection import projection
from workbench.core.rows import unit_rows


def groups(rows=60, dim=12, seed=0):
    rng = np.random.default_rng(seed)
    return unit_rows(rng.normal(size=(6, dim))[np.arange(rows) % 6] + 0.6 * rng.normal(size=(rows, dim)))


def test_memberships_sum_to_the_logarithm_of_the_neighbours_and_are_united():
    rows, neighbours = groups(), 8
    directed = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        distances = {j: 1 - float(row @ other) for j, other in enumerate(rows) if j != i}
        nearest = sorted(distances, key=distances.__getitem__)[: neighbours - 1]
        beyond = {j: distances[j] - distances[nearest[0]] for j in nearest}
        low, high = 1e-6, 10.0
        for _ in range(100):
            middle = (low + high) / 2
            total = sum(math.exp(-gap / middle) for gap in beyond.values())
            low, high = (low, middle) if total > math.log2(neighbours) else (middle, high)
        for j, gap in beyond.items():
            directed[i, j] = math.exp(-gap / low)
        assert directed[i].sum() == pytest.approx(3)
    united = directed + directed.T - directed * directed.T
    heads, tails, memberships = _umap.fuzzy_graph(rows, neighbours)
    whole = np.zeros_like(united)
    whole[heads, tails] = memberships
    assert len(heads) == (united > 0).sum() and whole == pytest.approx(united, abs=1e-9)


def test_a_step_follows_the_gradient_of_the_cross_entropy():
    """Of -log(s) for two neighbours, and of -log(1 - s) for a random pair, with s = 1 / (1 + A d^2B)."""

    def similarity(a, b):
        return 1 / (1 + _umap.A * np.square(a - b).sum() ** _umap.B)

    def gradient(loss, a, step=1e-6):
        return [(loss(a + step * axis) - loss(a - step * axis)) / (2 * step) for axis in np.eye(2)]

    points = np.array([[0.0, 0.0], [1.5, -0.5], [-2.0, 1.0]])
    pull = gradient(lambda a: -math.log(similarity(a, points[1])), points[0])
    moved = points.copy()
    _umap.move(moved, np.array([0]), np.array([1]), np.empty((1, 0), np.int64), 0.1)
    assert moved[0] - points[0] == pytest.approx(-0.1 * np.array(pull), rel=1e-5)
    assert moved[1] - points[1] == pytest.approx(0.1 * np.array(pull), rel=1e-5) and (moved[2] == points[2]).all()
    push = gradient(lambda a: -math.log(1 - similarity(a, points[2])), moved[0])
    both = points.copy()
    _umap.move(both, np.array([0]), np.array([1]), np.array([[2]]), 0.1)
    assert both[0] - moved[0] == pytest.approx(-0.1 * np.array(push), rel=1e-3)  # .001 keeps it finite at distance 0


@pytest.mark.slow
def test_machine_code_moves_points_as_python_does():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 2))
    heads, tails, others = rng.integers(20, size=50), rng.integers(20, size=50), rng.integers(20, size=(50, 5))
    slow, fast = points.copy(), points.copy()
    _umap.move(slow, heads, tails, others, 0.3)
    _umap.compiled()(fast, heads, tails, others, 0.3)
    assert fast == pytest.approx(slow, rel=1e-9) and np.abs(fast - points).max() > 0.01


@pytest.mark.slow
def test_copies_and_few_vectors_can_be_drawn():
    for vectors in (np.tile([[1.0, 2.0, 2.0]], (9, 1)), np.eye(5), np.repeat(np.eye(4), 10, axis=0)):
        assert np.isfinite(projection(vectors, method="umap")[["x", "y"]]).all(axis=None)


@pytest.fixture
def search_not_compiled(monkeypatch):
    """umap-learn imports a search for approximate neighbours that compiles itself for 15 s; few rows do not need it."""
    import numba

    with monkeypatch.context() as patch:
        patch.setattr(numba.config, "DISABLE_JIT", True)
        importlib.import_module("pynndescent")


@pytest.mark.slow
def test_neighbours_are_kept_as_well_as_by_umap_learn(search_not_compiled):
    """Over three seeds each; `bench umap` compares on sentence vectors."""
    from sklearn.manifold import trustworthiness

    rows = groups(rows=300, dim=24)

    def kept(seed, reference):
        points = projection(rows, method="umap", seed=seed, reference=reference)[["x", "y"]].to_numpy()
        return trustworthiness(rows, points, n_neighbors=15, metric="cosine")

    ours, theirs = ([kept(seed, reference) for seed in range(3)] for reference in (False, True))
    assert pytest.approx(sys.modules["umap"].umap_.find_ab_params(1.0, 0.1), abs=1e-6) == (_umap.A, _umap.B)
    assert np.mean(ours) == pytest.approx(np.mean(theirs), abs=max(0.01, 2 * np.std(theirs)))
    assert min(ours) > 0.8 > trustworthiness(rows, np.random.default_rng(0).normal(size=(300, 2)), n_neighbors=15)
