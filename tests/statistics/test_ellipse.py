import numpy as np
import pytest

from workbench.core.errors import BadData
from workbench.statistics.ellipse import ellipse


def test_every_point_of_it_is_two_deviations_from_the_mean():
    rng = np.random.default_rng(0)
    points = rng.multivariate_normal([1, -2], [[2, 1.2], [1.2, 1]], size=9)
    around = ellipse(points[:, 0], points[:, 1]) - points.mean(axis=0)
    inverse = np.linalg.inv(np.cov(points.T, ddof=1))
    assert np.einsum("ni,ij,nj->n", around, inverse, around) == pytest.approx(4.0)
    assert around[0] == pytest.approx(around[-1])


def test_of_points_on_a_line_it_is_the_line_and_of_equal_ones_a_point():
    around = ellipse([0, 1, 2], [0, 2, 4])
    assert around[:, 1] == pytest.approx(2 * around[:, 0]) and max(around[:, 0]) == pytest.approx(3, abs=0.01)
    assert np.allclose(ellipse([1, 1, 1], [2, 2, 2]), [1, 2])
    along = np.array([0.0, 1.4, 2.8])  # the variance across this line is a little below 0 in floating point
    around = ellipse(along, 3 * along, corners=8)
    assert around.shape == (9, 2) and around[:, 1] == pytest.approx(3 * around[:, 0], abs=1e-6)


@pytest.mark.parametrize("points", [[0, 1], [0, 1, np.nan]])
def test_what_has_no_covariance_is_refused(points):
    with pytest.raises(BadData, match="three points"):
        ellipse(points, points)
