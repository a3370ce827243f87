import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.losses.plain import cosine, mean, picking, views
from workbench.core.errors import BadSetting
from workbench.losses.arccon import METHOD, arccon
from workbench.losses.infonce_nn import infonce_nn


def by_hand(a, b, tau, degrees, beyond="none"):
    a, b, m = a.tolist(), b.tolist(), degrees * math.pi / 180
    rows = range(len(a))

    def target(i):
        theta = math.acos(cosine(a[i], b[i]))
        if beyond == "hard" and theta + m > math.pi:
            return math.cos(theta) - m * math.sin(m)
        if beyond == "easy" and math.cos(theta) <= 0:
            return math.cos(theta)
        return math.cos(theta + m)

    return mean(picking(target(i) / tau, [cosine(a[i], b[j]) / tau for j in rows if j != i]) for i in rows)


def at_angle(degrees):
    """Two orthogonal texts, each with a partner at this angle, in separate directions."""
    theta = math.radians(degrees)
    a = torch.eye(4, dtype=torch.float64)[:2]
    return a, math.cos(theta) * a + math.sin(theta) * torch.eye(4, dtype=torch.float64)[2:]


@pytest.mark.parametrize("beyond", ["none", "hard", "easy"])
@pytest.mark.parametrize(("tau", "degrees"), [(0.05, 10.0), (0.3, 2.0), (1.0, 60.0)])
def test_it_is_its_formula(tau, degrees, beyond):
    a, b = views()
    got = arccon(a, b, temperature=tau, margin_deg=degrees, beyond_pi=beyond).item()
    assert got == pytest.approx(by_hand(a, b, tau, degrees, beyond), rel=1e-7)


@pytest.mark.parametrize("angle", [5.0, 89.0, 91.0, 150.0, 169.9, 170.1, 179.0])
@pytest.mark.parametrize("beyond", ["none", "hard", "easy"])
def test_each_choice_of_beyond_pi_follows_its_description(angle, beyond):
    a, b = at_angle(angle)
    got = arccon(a, b, temperature=1.0, beyond_pi=beyond).item()
    assert got == pytest.approx(by_hand(a, b, 1.0, 10.0, beyond), rel=1e-6)


def test_only_the_printed_form_rewards_partners_for_moving_apart():
    def loss(angle, beyond):
        return arccon(*at_angle(angle), temperature=1.0, margin_deg=60.0, beyond_pi=beyond).item()

    assert loss(175, "none") < loss(125, "none")
    for beyond in ("hard", "easy"):
        losses = [loss(angle, beyond) for angle in range(100, 180, 5)]
        assert losses == sorted(losses)


def test_the_printed_values():
    same = torch.eye(2)
    assert arccon(same, same, temperature=1.0, margin_deg=0.0).item() == pytest.approx(0.31326, abs=1e-4)
    assert arccon(same, same, temperature=1.0, margin_deg=10.0).item() == pytest.approx(0.31737, abs=1e-4)
    with torch.autocast("cpu", torch.bfloat16):
        assert arccon(same, same, temperature=1.0, margin_deg=10.0).item() == pytest.approx(0.31737, abs=1e-4)


@given(seed=st.integers(0, 1000), beyond=st.sampled_from(["none", "hard", "easy"]))
@settings(max_examples=20)
def test_without_margin_it_is_infonce(seed, beyond):
    a, b = views(seed=seed, dtype=torch.float32)
    assert arccon(a, b, margin_deg=0.0, beyond_pi=beyond).item() == pytest.approx(infonce_nn(a, b).item(), abs=1e-6)


@given(angle=st.floats(0.0, 120.0), low=st.floats(0.5, 60.0), high=st.floats(0.5, 60.0))
@settings(max_examples=50)
def test_a_wider_margin_never_lowers_the_loss_up_to_pi(angle, low, high):
    low, high = sorted((low, high))
    narrow, wide = (arccon(*at_angle(angle), margin_deg=margin).item() for margin in (low, high))
    assert narrow <= wide + 1e-9


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("beyond", ["none", "hard", "easy"])
def test_the_gradient_is_finite_where_partners_coincide_or_oppose(dtype, sign, beyond):
    a = views()[0].to(dtype).requires_grad_()
    b = (sign * a.detach()).requires_grad_()
    loss = arccon(a, b, beyond_pi=beyond)
    loss.backward()
    assert torch.isfinite(loss) and torch.isfinite(a.grad).all() and torch.isfinite(b.grad).all()


@pytest.mark.parametrize("radians", [0.17453, math.pi / 18, 0.49, 1e-6])
def test_a_margin_in_radians_is_refused_before_any_step(radians):
    with pytest.raises(BadSetting, match="did you pass radians"):
        METHOD.check({"margin_deg": radians})
    with pytest.raises(BadSetting, match="did you pass radians"):
        arccon(*views(), margin_deg=radians)


def test_margins_in_degrees_pass():
    for degrees in (0, 0.5, 2, 10.0, 60):
        assert METHOD.check({"margin_deg": degrees})["margin_deg"] == degrees
