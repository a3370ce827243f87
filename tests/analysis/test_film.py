"""Several steps of a training as points in one plane."""

import numpy as np
import pytest

from workbench.analysis.film import film
from workbench.analysis.projection import projection
from workbench.core.errors import BadData


@pytest.fixture
def frames():
    rng = np.random.default_rng(3)
    shape = rng.normal(size=(30, 6)) * [5, 3, 1, 1, 1, 0.5]
    return np.stack([shape + np.array([9, 0, 0, 4, 0, 0]), shape + np.array([3, 1, 0, 0, 0, 0]), 7 * shape])


def units(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def drawn(table, frame):
    return table[table["frame"] == frame][["x", "y"]].to_numpy()


def test_pca_is_that_of_the_last_frame(frames):
    table = film(frames, plane="pca")
    last = units(frames[-1])
    _, _, directions = np.linalg.svd(last - last.mean(axis=0))
    axes = np.array([row * np.sign(row[np.abs(row).argmax()]) for row in directions[:2]])
    for number, frame in enumerate(frames):
        np.testing.assert_allclose(drawn(table, number), (units(frame) - last.mean(axis=0)) @ axes.T, atol=1e-9)
    np.testing.assert_allclose(drawn(table, 2), projection(frames[2], method="pca")[["x", "y"]], atol=1e-9)
    for number, frame in enumerate(frames):
        spread = units(frame) - units(frame).mean(axis=0)
        expected = np.square(spread @ axes.T).sum() / np.square(spread).sum()
        assert table.attrs["explained"][number] == pytest.approx(expected)


def test_cone_is_that_of_the_first_frame(frames):
    table = film(frames, plane="cone")
    mean = units(frames[0]).mean(axis=0)
    for number, frame in enumerate(frames):
        np.testing.assert_allclose(drawn(table, number)[:, 0], units(frame) @ mean / np.linalg.norm(mean), atol=1e-9)
    np.testing.assert_allclose(drawn(table, 0), projection(frames[0], method="cone")[["x", "y"]], atol=1e-9)
    shares = [np.square(drawn(table, number)).sum() / len(frame) for number, frame in enumerate(frames)]
    assert table.attrs["explained"] == pytest.approx(shares) and max(shares) <= 1


def test_a_frame_that_does_not_move_stays(frames):
    table = film(frames[[0, 0, 2]])
    np.testing.assert_array_equal(drawn(table, 0), drawn(table, 1))
    assert table["row"].tolist() == [*range(30)] * 3


@pytest.mark.parametrize("shape", [(30, 6), (1, 30, 6), (3, 30, 1), (3, 2, 6)])
def test_what_is_no_film_is_refused(shape):
    with pytest.raises(BadData):
        film(np.ones(shape))
    with pytest.raises(BadData):
        film(np.full((2, 5, 3), np.nan))
