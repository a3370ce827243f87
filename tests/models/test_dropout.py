import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.seeds import seeded
from workbench.models.dropout import dropped


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.3, 0.5, 0.9])
def test_share_and_mean_are_those_of_dropout(rate):
    with seeded(0, rate):
        found = dropped(torch.ones(500, 400), rate)
    assert (found == 0).float().mean().item() == pytest.approx(rate, abs=0.005)
    assert found.mean().item() == pytest.approx(1.0, abs=0.02)
    assert found.max().item() == pytest.approx(1 / (1 - rate), rel=1e-3)


def test_the_four_elements_of_one_draw_are_independent():
    with seeded(1):
        zero = (dropped(torch.ones(4000, 100), 0.3) == 0).double().reshape(-1, 4)
    assert torch.allclose(zero.mean(0), torch.full((4,), 0.3, dtype=torch.float64), atol=0.01)
    assert (torch.corrcoef(zero.T) - torch.eye(4)).abs().max() < 0.01


@given(st.lists(st.integers(0, 9), min_size=1, max_size=3))
def test_any_shape_and_the_same_seed_the_same_mask(shape):
    values = torch.ones(*shape)
    with seeded(2):
        first = dropped(values, 0.5)
    with seeded(2):
        assert torch.equal(first, dropped(values, 0.5))
    assert first.shape == values.shape and values.eq(1).all()


def test_gradients_pass_where_values_do():
    values = torch.randn(50, 50, requires_grad=True)
    found = dropped(values, 0.4)
    found.sum().backward()
    assert torch.equal(values.grad == 0, found == 0)
