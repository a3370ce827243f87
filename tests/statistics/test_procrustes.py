"""Procrustes alignment, against scipy's and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import procrustes as reference

from workbench.statistics.procrustes import procrustes


def points(seed, n=20):
    return np.random.default_rng(seed).normal(size=(n, 2)) * [3, 1] + [5, -2]


@given(st.integers(0, 200))
def test_the_disparity_is_scipys(seed):
    one, other = points(seed), points(seed + 1000)
    assert procrustes(other, one).disparity == pytest.approx(reference(one, other)[2], abs=1e-9)


@given(st.floats(-3, 3), st.booleans(), st.floats(0.1, 50))
def test_a_turned_mirrored_scaled_and_moved_copy_lies_on_the_original(angle, mirrored, scale):
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    copy = (points(1) * [1, -1 if mirrored else 1]) @ turn * scale + [100, 7]
    aligned = procrustes(copy, points(1))
    assert aligned.points == pytest.approx(points(1), abs=1e-6) and 0 <= aligned.disparity < 1e-9


def test_no_other_rotation_is_nearer_and_the_size_is_that_of_the_other_set():
    one, other = points(3), points(4)
    aligned = procrustes(other, one).points
    spread = np.linalg.norm(one - one.mean(axis=0))
    assert np.linalg.norm(aligned - aligned.mean(axis=0)) == pytest.approx(spread)
    best = np.square(aligned - one).sum()
    moved = aligned - one.mean(axis=0)
    for angle in np.linspace(-3, 3, 41):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        for mirror in ([1, 1], [1, -1]):
            assert np.square(moved * mirror @ turn + one.mean(axis=0) - one).sum() >= best - 1e-9


def test_points_that_are_all_one_have_nothing_in_common_with_others():
    aligned = procrustes(np.ones((5, 2)), points(0, 5))
    assert aligned.disparity == 1 and np.isfinite(aligned.points).all()
