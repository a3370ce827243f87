"""The numbers of the lesson, by hand."""

import math

import numpy as np
import pytest

from workbench.lesson import numbers
from workbench.losses import METHODS as LOSSES
from workbench.metrics.alignment import alignment
from workbench.metrics.uniformity import uniformity


def test_the_forces_are_alignment_and_uniformity():
    a, b = numbers.start(3)
    near, spread, *_ = numbers.forces(a, b)
    assert near == pytest.approx(alignment(a, b))
    assert spread == pytest.approx((uniformity(a) + uniformity(b)) / 2)


def test_their_gradients_are_those_of_the_loss():
    import torch

    a, b = (torch.tensor(rows, dtype=torch.float64, requires_grad=True) for rows in numbers.start(3))
    loss = LOSSES["align_uniform"].fn(a, b)
    loss.backward()
    _, _, aligned, left, right = numbers.forces(a.detach().numpy(), b.detach().numpy())

    def tangent(slope, rows):
        rows = rows.detach().numpy()
        return slope - (slope * rows).sum(1, keepdims=True) * rows

    # The loss normalises its rows, so its gradient has no part along them.
    np.testing.assert_allclose(tangent(aligned + left, a), a.grad.numpy(), atol=1e-6)
    np.testing.assert_allclose(tangent(-aligned + right, b), b.grad.numpy(), atol=1e-6)


def test_alone_one_force_pulls_partners_together_and_the_other_spreads():
    facts = numbers.balance()["facts"]
    assert facts["pulled_alignment"] < 1e-6 and facts["pulled_uniformity"] > facts["start_uniformity"] - 0.1
    assert facts["pushed_alignment"] > 10 * facts["start_alignment"]
    assert facts["both_uniformity"] < facts["start_uniformity"] - 1


def test_a_histogram_has_all_cosines():
    counts = numbers._histogram(np.array([-0.9, -0.495, 0.0, 0.999, 1.0]))
    assert sum(counts) == 1_000_000 and counts[0] == 400_000 and counts[50] == 200_000 and counts[-1] == 400_000


def test_weights_are_a_softmax_over_the_negatives():
    weights = numbers._weights([[0.9, 0.5, 0.1]], 0, 0.2)
    push = [0.0, math.exp(0.5 / 0.2), math.exp(0.1 / 0.2)]
    assert weights.tolist() == pytest.approx([each / sum(push) for each in push])


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
