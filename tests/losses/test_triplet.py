import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.losses.plain import cosine, mean, views
from workbench.core.errors import BadSetting
from workbench.losses.triplet import METHOD, triplet


def by_hand(a, b, n, distance, margin):
    def far(x, y):
        if distance == "cosine":
            return 1 - cosine(x, y)
        return math.sqrt(sum((p - q) ** 2 for p, q in zip(x, y, strict=True)))

    rows = zip(a.tolist(), b.tolist(), n.tolist(), strict=True)
    return mean(max(0.0, far(x, y) - far(x, z) + margin) for x, y, z in rows)


@pytest.mark.parametrize(
    ("distance", "margin"), [("euclidean", 5.0), ("euclidean", 0.3), ("cosine", 0.1), ("cosine", 2.0)]
)
def test_it_is_its_formula(distance, margin):
    inputs = views(3)
    got = triplet(*inputs, distance=distance, margin=margin).item()
    assert got == pytest.approx(by_hand(*inputs, distance, margin), rel=1e-9)


@pytest.mark.parametrize("gap", [5.0, 6.0, 100.0])
def test_it_is_zero_when_the_negative_is_a_margin_farther(gap):
    a = views(1)[0]
    direction = torch.nn.functional.normalize(views(1, seed=1)[0], dim=1)
    assert triplet(a, a + direction, a - (1.001 + gap) * direction).item() == 0
    assert triplet(a, a + direction, a - (0.9 + 5) * direction).item() == pytest.approx(0.1)


@given(seed=st.integers(0, 1000), distance=st.sampled_from(["euclidean", "cosine"]))
@settings(max_examples=30)
def test_swapping_partner_and_negative_flips_the_sign_inside(seed, distance):
    margin = {"euclidean": 20.0, "cosine": 2.0}[distance]  # so wide that the hinge is open both ways
    a, b, n = views(3, seed=seed)
    there = triplet(a, b, n, distance=distance, margin=margin).item() - margin
    back = triplet(a, n, b, distance=distance, margin=margin).item() - margin
    assert there == pytest.approx(-back, abs=1e-9)


def test_scale_matters_only_for_euclidean():
    a, b, n = views(3)
    assert triplet(3 * a, 3 * b, 3 * n).item() != pytest.approx(triplet(a, b, n).item())
    cosine_of = {"distance": "cosine", "margin": 0.1}
    assert triplet(3 * a, 3 * b, 3 * n, **cosine_of).item() == pytest.approx(triplet(a, b, n, **cosine_of).item())


def test_one_row_is_enough():
    assert torch.isfinite(triplet(*views(3, rows=1)))


def test_the_euclidean_margin_is_refused_for_cosine_before_any_step():
    with pytest.raises(BadSetting, match=r"AugCSE uses 0\.1"):
        METHOD.check({"distance": "cosine"})
    with pytest.raises(BadSetting, match="Cosine distances lie between 0 and 2"):
        triplet(*views(3), distance="cosine")
    assert METHOD.check({"distance": "cosine", "margin": 0.1})["margin"] == 0.1
