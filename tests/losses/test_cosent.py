import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.losses.plain import cosine, views
from workbench.core.errors import BadData
from workbench.losses.angle import angle
from workbench.losses.cosent import cosent

GOLD = torch.tensor([0.0, 5.0, 2.5, 2.5, 1.0], dtype=torch.float64)


def complex_angle(x, y):
    """As published: the two halves are real and imaginary parts; divide, rescale by the norms, sum both parts."""
    half = len(x) // 2
    x = [complex(p, q) for p, q in zip(x[:half], x[half:], strict=True)]
    y = [complex(p, q) for p, q in zip(y[:half], y[half:], strict=True)]
    square = sum(abs(q) ** 2 for q in y)
    quotient = [p * q.conjugate() / square for p, q in zip(x, y, strict=True)]
    ratio = math.sqrt(sum(abs(p) ** 2 for p in x)) / math.sqrt(square)
    return abs(sum(q.real / ratio + q.imag / ratio for q in quotient))


def by_hand(a, b, gold, similarity, scale=20.0):
    s = [similarity(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    g = gold.tolist()
    pairs = [(k, m) for k in range(len(g)) for m in range(len(g)) if g[k] < g[m]]
    return math.log(1 + sum(math.exp(scale * (s[k] - s[m])) for k, m in pairs))


@pytest.mark.parametrize(("loss", "similarity"), [(cosent, cosine), (angle, complex_angle)])
@pytest.mark.parametrize("scale", [20.0, 1.0])
def test_it_is_its_formula(loss, similarity, scale):
    a, b = views()
    got = loss(a, b, GOLD, temperature=1 / scale).item()
    assert got == pytest.approx(by_hand(a, b, GOLD, similarity, scale), rel=1e-9)


@pytest.mark.parametrize("loss", [cosent, angle])
@given(seed=st.integers(0, 1000))
@settings(max_examples=10)
def test_only_the_order_of_scores_matters(loss, seed):
    a, b = views(seed=seed)
    assert loss(a, b, GOLD).item() == loss(a, b, GOLD.exp() * 100 - 7).item()
    assert loss(a, b, GOLD).item() != loss(a, b, -GOLD).item()


@pytest.mark.parametrize("loss", [cosent, angle])
def test_pairs_in_the_right_order_have_little_loss_and_equal_scores_none(loss):
    a = torch.eye(8)[:4]  # real vectors, so that angle is the absolute value of the cosine
    b = torch.stack([a[0], a[0] + a[1], a[0]])  # cosines 1, 0.7, 0
    right = loss(a[:3], b, torch.tensor([5.0, 3.0, 0.0])).item()
    wrong = loss(a[:3], b, torch.tensor([0.0, 3.0, 5.0])).item()
    assert right < 0.01 < 19 < wrong
    vectors = a[:3].clone().requires_grad_()
    equal = loss(vectors, b, torch.full((3,), 2.0))
    equal.backward()
    assert equal.item() == 0 and vectors.grad.abs().sum() == 0


@pytest.mark.parametrize("loss", [cosent, angle])
def test_scores_must_be_one_number_per_pair(loss):
    a, b = views()
    with pytest.raises(BadData, match="not finite"):
        loss(a, b, torch.tensor([0.0, 1.0, math.nan, 2.0, 3.0]))
    with pytest.raises(BadData, match="one value for each text"):
        loss(a, b, GOLD[:, None])
    with pytest.raises(BadData, match="without negatives"):
        loss(a[:1], b[:1], GOLD[:1])


def test_angle_needs_an_even_number_of_dimensions():
    a, b = views(dim=5)
    with pytest.raises(BadData, match="odd number of dimensions"):
        angle(a, b, GOLD)


def test_angle_of_equal_vectors_is_one_and_never_above_the_root_of_two():
    a, b = views(rows=50)
    values = [complex_angle(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert complex_angle(a[0].tolist(), (3 * a[0]).tolist()) == pytest.approx(1.0)
    assert max(values) <= math.sqrt(2) + 1e-9
    slope = angle(a[:2], torch.stack([a[0], b[1]]), torch.tensor([1.0, 0.0]), temperature=1.0).item()
    assert slope == pytest.approx(math.log(1 + math.exp(values[1] - 1)))


def test_integer_scores_are_accepted():
    a, b = views()
    assert cosent(a, b, GOLD.mul(2).long()).item() == cosent(a, b, GOLD).item()
