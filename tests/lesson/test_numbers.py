"""The numbers of the lesson, by hand."""

import numpy as np
import pytest

from workbench.lesson import numbers


def test_a_histogram_has_all_cosines():
    counts = numbers._histogram(np.array([-0.9, -0.495, 0.0, 0.999, 1.0]))
    assert sum(counts) == 1_000_000 and counts[0] == 400_000 and counts[50] == 200_000 and counts[-1] == 400_000


def test_the_plane_is_that_of_the_mean():
    rng = np.random.default_rng(0)
    units = np.array([3, 0, 0, 0, 0, 0]) + rng.standard_normal((50, 6))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    along, across = numbers.basis(units)
    mean = units.mean(axis=0)
    assert along @ mean == pytest.approx(np.linalg.norm(mean)) and across @ mean == pytest.approx(0, abs=1e-12)
    assert along @ across == pytest.approx(0, abs=1e-12) and across @ across == pytest.approx(1)


def test_strangers_are_short_and_of_two_genres():
    pairs = numbers._pairs()
    genre = dict(zip(pairs.first, pairs.subsets, strict=True))
    examples = numbers._strangers(pairs)
    assert len(examples) == numbers.EXAMPLES
    assert all(genre[a] != genre[b] and max(len(a), len(b)) <= 70 for a, b in examples)
