"""Each loss compared with its formula in plain floats, and the properties that the formula implies."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import TypeCheckError

from tests.losses.plain import cosine, shape_checked, views
from workbench.core.errors import BadData
from workbench.losses import METHODS, needs
from workbench.losses.align_uniform import align_uniform
from workbench.losses.infonce_nn import infonce_nn
from workbench.losses.infonce_sym import infonce_sym
from workbench.losses.ntxent_2n import ntxent_2n

# Losses of two views only; those with further inputs have separate test files.
ALL = [pytest.param(method.fn, id=name) for name, method in METHODS.items() if needs(method) == ("a", "b")]
CONTRASTIVE = [infonce_nn, ntxent_2n, infonce_sym]


def by_hand_nn(a, b, temperature):
    total = 0.0
    for i in range(len(a)):
        weights = [math.exp(cosine(a[i], b[j]) / temperature) for j in range(len(b))]
        total -= math.log(weights[i] / sum(weights))
    return total / len(a)


def by_hand_2n(a, b, temperature):
    z, n = [*a, *b], len(a)
    total = 0.0
    for i in range(2 * n):
        partner = (i + n) % (2 * n)
        below = sum(math.exp(cosine(z[i], z[k]) / temperature) for k in range(2 * n) if k != i)
        total -= math.log(math.exp(cosine(z[i], z[partner]) / temperature) / below)
    return total / (2 * n)


def by_hand_interleaved(a, b, temperature):
    """The third published layout: a_1, b_1, a_2, b_2, ..., the label of row i being i + 1 - 2 (i mod 2)."""
    z = [row for pair in zip(a, b, strict=True) for row in pair]
    total = 0.0
    for i in range(len(z)):
        below = sum(math.exp(cosine(z[i], z[k]) / temperature) for k in range(len(z)) if k != i)
        total -= math.log(math.exp(cosine(z[i], z[i + 1 - 2 * (i % 2)]) / temperature) / below)
    return total / len(z)


def by_hand_align_uniform(a, b, w_a, w_u, alpha, t):
    def unit(x):
        return [p / math.sqrt(sum(q * q for q in x)) for p in x]

    def distance(x, y):
        return math.sqrt(sum((p - q) ** 2 for p, q in zip(x, y, strict=True)))

    def spread(rows):
        pairs = [(i, j) for i in range(len(rows)) for j in range(i)]
        return math.log(sum(math.exp(-t * distance(rows[i], rows[j]) ** 2) for i, j in pairs) / len(pairs))

    a, b = [unit(x) for x in a], [unit(x) for x in b]
    align = sum(distance(x, y) ** alpha for x, y in zip(a, b, strict=True)) / len(a)
    return w_a * align + w_u * (spread(a) + spread(b)) / 2


@pytest.mark.parametrize("temperature", [0.05, 0.3, 1.0])
def test_infonce_nn_is_its_formula(temperature):
    a, b = views()
    want = by_hand_nn(a.tolist(), b.tolist(), temperature)
    assert infonce_nn(a, b, temperature=temperature).item() == pytest.approx(want, rel=1e-9)


@pytest.mark.parametrize("temperature", [0.05, 0.3, 1.0])
def test_ntxent_2n_is_its_formula_and_the_interleaved_one(temperature):
    a, b = views()
    loss = ntxent_2n(a, b, temperature=temperature).item()
    assert loss == pytest.approx(by_hand_2n(a.tolist(), b.tolist(), temperature), rel=1e-9)
    assert loss == pytest.approx(by_hand_interleaved(a.tolist(), b.tolist(), temperature), abs=1e-6)


@pytest.mark.parametrize("temperature", [0.05, 0.3, 1.0])
def test_infonce_sym_is_the_mean_of_both_directions(temperature):
    a, b = views()
    forth = by_hand_nn(a.tolist(), b.tolist(), temperature)
    back = by_hand_nn(b.tolist(), a.tolist(), temperature)
    assert infonce_sym(a, b, temperature=temperature).item() == pytest.approx((forth + back) / 2, rel=1e-9)


@pytest.mark.parametrize(
    ("w_a", "w_u", "alpha", "t"), [(1.0, 1.0, 2.0, 2.0), (0.5, 2.0, 1.0, 3.0), (0.0, 1.0, 4.0, 0.5)]
)
def test_align_uniform_is_its_formula(w_a, w_u, alpha, t):
    a, b = views()
    loss = align_uniform(a, b, alignment_weight=w_a, uniformity_weight=w_u, power=alpha, scale=t)
    assert loss.item() == pytest.approx(by_hand_align_uniform(a.tolist(), b.tolist(), w_a, w_u, alpha, t), rel=1e-9)


@pytest.mark.parametrize("rows", [2, 17, 64])
def test_equal_similarities_give_the_log_of_the_choices(rows):
    same = torch.ones(rows, 3)
    assert infonce_nn(same, same).item() == pytest.approx(math.log(rows), abs=1e-5)
    assert infonce_sym(same, same).item() == pytest.approx(math.log(rows), abs=1e-5)
    assert ntxent_2n(same, same).item() == pytest.approx(math.log(2 * rows - 1), abs=1e-5)
    assert align_uniform(same, same).item() == pytest.approx(0.0, abs=1e-5)


def test_printed_values_for_64():
    same = torch.ones(64, 3)
    assert round(infonce_nn(same, same).item(), 5) == pytest.approx(4.15888, abs=2e-5)
    assert round(ntxent_2n(same, same).item(), 5) == pytest.approx(4.84419, abs=2e-5)


def test_two_poles_have_uniformity_of_minus_eight():
    poles = torch.tensor([[0.0, 3.0], [0.0, -0.5]])
    assert align_uniform(poles, poles).item() == -8.0


@pytest.mark.parametrize("loss", ALL)
@given(scales=st.lists(st.floats(0.01, 100), min_size=5, max_size=5))
@settings(max_examples=20)
def test_scale_of_a_row_does_not_matter(loss, scales):
    a, b = views()
    factor = torch.tensor(scales, dtype=a.dtype)[:, None]
    assert loss(a * factor, b / factor).item() == pytest.approx(loss(a, b).item(), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("loss", ALL)
@given(order=st.permutations(range(5)), seed=st.integers(0, 1000))
@settings(max_examples=20)
def test_order_of_the_batch_does_not_matter(loss, order, seed):
    a, b = views(seed=seed)
    assert loss(a[list(order)], b[list(order)]).item() == pytest.approx(loss(a, b).item(), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("loss", CONTRASTIVE)
def test_a_closer_partner_lowers_the_loss(loss):
    a, b = views()
    losses = [loss(a, b + weight * a).item() for weight in (0.0, 0.5, 1.0, 3.0)]
    assert losses == sorted(losses, reverse=True)


@given(seed=st.integers(0, 1000))
@settings(max_examples=20)
def test_only_infonce_nn_has_a_direction(seed):
    a, b = views(seed=seed)
    for loss in (infonce_sym, ntxent_2n, align_uniform):
        assert loss(a, b).item() == pytest.approx(loss(b, a).item(), rel=1e-9, abs=1e-9)
    assert infonce_nn(a, b).item() != pytest.approx(infonce_nn(b, a).item(), rel=1e-6)


@pytest.mark.parametrize("loss", ALL)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_loss_and_gradient_are_finite(loss, dtype):
    a, b = (view.to(dtype).requires_grad_() for view in views(rows=8, dim=16))
    value = loss(a, b)
    value.backward()
    assert value.dtype == torch.float32 and torch.isfinite(value)
    for view in (a, b):
        assert view.grad.dtype == dtype and torch.isfinite(view.grad).all() and view.grad.abs().sum() > 0


@pytest.mark.parametrize("loss", ALL)
def test_degenerate_rows_stay_finite(loss):
    a, b = views(dtype=torch.float32)
    a, b = a.clone(), b.clone()
    a[0] = 0  # an empty vector
    b[1] = a[1]  # a perfect pair: the distance is 0, where a square root has no derivative
    a[3] = a[2]  # a repeated text
    a, b = a.requires_grad_(), b.requires_grad_()
    value = loss(a, b)
    value.backward()
    assert torch.isfinite(value) and torch.isfinite(a.grad).all() and torch.isfinite(b.grad).all()


@pytest.mark.parametrize("loss", ALL)
def test_gradient_is_that_of_the_formula(loss):
    a, b = (view.requires_grad_() for view in views(rows=3, dim=4))
    assert torch.autograd.gradcheck(loss, (a, b))


@pytest.mark.parametrize("loss", ALL)
def test_autocast_does_not_reach_the_arithmetic(loss):
    a, b = views(rows=8, dim=64, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        inside = loss(a, b)
    assert inside.item() == loss(a, b).item()


@pytest.mark.parametrize("loss", ALL)
def test_a_batch_without_negatives_is_refused(loss):
    a, b = views(rows=1)
    with pytest.raises(BadData, match="without negatives"):
        loss(a, b)


@pytest.mark.parametrize("loss", ALL)
def test_views_that_are_not_aligned_are_refused(loss):
    a, b = views()
    with pytest.raises(BadData, match="different shapes"):
        loss(a, b[:4])


@pytest.mark.parametrize("loss", ALL)
def test_shapes_in_the_signature_hold(loss):
    a, b = views()
    checked = shape_checked(loss)
    assert checked(a, b).shape == ()
    with pytest.raises(TypeCheckError):
        checked(a, b[:, :3])
    with pytest.raises(TypeCheckError):
        checked(a, np.zeros((5, 6)))


@pytest.mark.parametrize("loss", ALL)
def test_ten_steps_of_descent_lower_it(loss):
    a, b = (view.float().requires_grad_() for view in views(rows=8, dim=8))
    first = loss(a, b).item()
    optimiser = torch.optim.SGD([a, b], lr=0.5)
    for _ in range(10):
        optimiser.zero_grad()
        loss(a, b).backward()
        optimiser.step()
    assert loss(a, b).item() < first
