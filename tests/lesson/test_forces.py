"""Two forces on points: the formulas, and what either does alone."""

import numpy as np
import pytest

from workbench.lesson import forces
from workbench.losses import METHODS as LOSSES
from workbench.metrics.alignment import alignment
from workbench.metrics.uniformity import uniformity


def test_the_forces_are_alignment_and_uniformity():
    a, b = forces.start(3)
    near, spread, *_ = forces.forces(a, b)
    assert near == pytest.approx(alignment(a, b))
    assert spread == pytest.approx((uniformity(a) + uniformity(b)) / 2)


def test_their_gradients_are_those_of_the_loss():
    import torch

    a, b = (torch.tensor(rows, dtype=torch.float64, requires_grad=True) for rows in forces.start(3))
    loss = LOSSES["align_uniform"].fn(a, b)
    loss.backward()
    _, _, aligned, left, right = forces.forces(a.detach().numpy(), b.detach().numpy())

    def tangent(slope, rows):
        rows = rows.detach().numpy()
        return slope - (slope * rows).sum(1, keepdims=True) * rows

    # The loss normalises its rows, so its gradient has no part along them.
    np.testing.assert_allclose(tangent(aligned + left, a), a.grad.numpy(), atol=1e-6)
    np.testing.assert_allclose(tangent(-aligned + right, b), b.grad.numpy(), atol=1e-6)


def test_alone_one_force_pulls_partners_together_and_the_other_spreads():
    facts = forces.balance()["facts"]
    assert facts["pulled_alignment"] < 1e-6 and facts["pulled_uniformity"] > facts["start_uniformity"] - 0.1
    assert facts["pushed_alignment"] > 10 * facts["start_alignment"]
    assert facts["both_uniformity"] < facts["start_uniformity"] - 1
