"""Neighbours that two models share: counted here with loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis.neighbour_overlap import neighbour_overlap, overlap_of
from workbench.analysis.neighbours import neighbours
from workbench.core.errors import BadData


def vectors(n, seed):
    return np.random.default_rng(seed).normal(size=(n, 4))


def nearest(rows, row, count):
    """The nearest others by cosine, as a set; no two are equally near."""
    unit = [[value / sum(x * x for x in one) ** 0.5 for value in one] for one in rows]
    cosines = {other: sum(a * b for a, b in zip(unit[row], unit[other], strict=True)) for other in range(len(rows))}
    del cosines[row]
    return set(sorted(cosines, key=cosines.get, reverse=True)[:count])


@given(st.integers(2, 14), st.integers(1, 20), st.integers(0, 100))
def test_it_is_the_share_of_the_neighbours_by_either_that_are_neighbours_by_both(n, count, seed):
    first, second = vectors(n, seed), vectors(n, seed + 1)
    table = neighbour_overlap(first, second, count=count)
    for row in range(n):
        one, other = nearest(first.tolist(), row, count), nearest(second.tolist(), row, count)
        assert table["shared"][row] == len(one & other)
        assert table["jaccard"][row] == pytest.approx(len(one & other) / len(one | other))
    assert table.attrs == {"count": min(count, n - 1), "mean": pytest.approx(table["jaccard"].mean())}


def test_turned_and_scaled_vectors_share_all():
    rows = vectors(30, 0)
    turn = np.linalg.qr(vectors(4, 1))[0]
    assert neighbour_overlap(rows, 3 * rows @ turn, count=5)["jaccard"].tolist() == [1.0] * 30


def test_the_first_of_more_neighbours_are_used():
    first, second = vectors(20, 0), vectors(20, 1)
    wide = overlap_of(neighbours(first, count=12), neighbours(second, count=12), count=4)
    assert wide.equals(neighbour_overlap(first, second, count=4))


def test_other_texts_are_refused():
    with pytest.raises(BadData, match="the same texts"):
        neighbour_overlap(vectors(4, 0), vectors(5, 0))
