"""The fused pieces of a layer are those of PyTorch, one after another."""

import copy

import pytest
import torch
from torch import nn

from tests.models.test_fused_attention import DEVICE, ON_CPU, close, inputs_of, needs_triton
from tests.tiny import tiny_model
from workbench.models import fused_attention, fused_layers
from workbench.models.load import load

pytestmark = needs_triton
WIDTHS = [8, 24, 384, 1100]


def drawn(*shape):
    return torch.randn(*shape, device=DEVICE).requires_grad_()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("rows", [1, 37])
def test_add_norm(width, rows):
    torch.manual_seed(width)
    inputs = [drawn(1, rows, width), drawn(width), drawn(1, rows, width), drawn(width), drawn(width)]
    found = fused_layers.add_norm(*inputs, 1e-12, 0.0)
    x, bias, residual, weight, shift = inputs
    wanted = nn.functional.layer_norm(x + bias + residual, (width,), weight, shift, 1e-12)
    slope = torch.randn_like(wanted)
    slopes = zip(torch.autograd.grad(found, inputs, slope), torch.autograd.grad(wanted, inputs, slope), strict=True)
    close(found, wanted, 1e-5)
    for own, other in slopes:
        close(own, other, 1e-4)


def test_add_norm_drops_its_share_and_repeats_in_the_backward_pass():
    width, rows, rate = 64, 200, 0.25
    torch.manual_seed(0)
    inputs = [drawn(rows, width), drawn(width), drawn(rows, width), drawn(width), drawn(width)]
    x, bias, residual, weight, shift = inputs
    ones, zeros = torch.ones(width, device=DEVICE), torch.zeros(width, device=DEVICE)
    dropped = fused_layers.add_norm(torch.ones_like(x), zeros, torch.zeros_like(x), ones, zeros, 1e-12, rate)
    kept = dropped > 0
    assert float(kept.float().mean()) == pytest.approx(1 - rate, abs=0.02)
    torch.manual_seed(1)
    found = fused_layers.add_norm(*inputs, 1e-12, rate)
    torch.manual_seed(1)
    again = fused_layers.add_norm(torch.ones_like(x), zeros, torch.zeros_like(x), ones, zeros, 1e-12, rate) > 0
    torch.manual_seed(2)
    other = fused_layers.add_norm(torch.ones_like(x), zeros, torch.zeros_like(x), ones, zeros, 1e-12, rate) > 0
    assert not torch.equal(again, other)
    wanted = nn.functional.layer_norm((x + bias) * again / (1 - rate) + residual, (width,), weight, shift, 1e-12)
    slope = torch.randn_like(wanted)
    slopes = zip(torch.autograd.grad(found, inputs, slope), torch.autograd.grad(wanted, inputs, slope), strict=True)
    close(found, wanted, 1e-5)
    for own, plain in slopes:
        close(own, plain, 1e-4)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("rows", [1, 37])
def test_bias_gelu(width, rows):
    torch.manual_seed(width)
    x, bias = inputs = [drawn(1, rows, width), drawn(width)]
    found, wanted = fused_layers.bias_gelu(*inputs), nn.functional.gelu(x + bias)
    slope = torch.randn_like(wanted)
    slopes = zip(torch.autograd.grad(found, inputs, slope), torch.autograd.grad(wanted, inputs, slope), strict=True)
    close(found, wanted, 1e-5)
    for own, other in slopes:
        close(own, other, 1e-4)


@pytest.mark.parametrize(
    "family, count",
    [("bert", 3), ("roberta", 3), ("xlm-roberta", 3), ("camembert", 3), ("electra", 3), ("distilbert", 0)],
)
def test_a_backbone_computes_the_same_and_is_itself_again(family, count, monkeypatch, tmp_path):
    backbone = load(str(tiny_model(tmp_path, family, "plain"))).backbone.to(DEVICE).eval()
    ids = torch.arange(5, 25, device=DEVICE).view(2, 10)
    wanted = backbone(input_ids=ids).last_hidden_state
    monkeypatch.setattr(fused_attention, "works", lambda device: True)
    layers, pieces = fused_layers.replacements(backbone)
    assert (3 * len(layers), len(pieces)) == (count * backbone.config.num_hidden_layers,) * 2
    with fused_layers.fusing(backbone, None):
        found = backbone(input_ids=ids).last_hidden_state
        assert (found.grad_fn.name() == "_AddNormBackward") == bool(count)
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-4)
    copied = copy.deepcopy(backbone)
    assert (
        backbone(input_ids=ids).last_hidden_state.grad_fn.name()
        == copied(input_ids=ids).last_hidden_state.grad_fn.name()
    )
    assert not any("forward" in module.__dict__ for module in backbone.modules())


def test_the_gradients_of_a_layer_are_those_of_its_own_dropout():
    """Against differences along a random direction: with another dropout in the backward pass they would be others."""
    torch.manual_seed(0)
    _, texts, _ = inputs_of([5, 16, 1], 2, 16)
    shapes = [(32, 32), (32,)] * 4 + [(32,), (32,), (64, 32), (64,), (32, 64), (32,), (32,), (32,)]
    inputs = [drawn(1, 22, 32), *(drawn(*shape) for shape in shapes)]
    settings = fused_layers.Settings(2, 0.25, (1e-12, 1e-12), (0.2, 0.3, 0.1))
    slope = torch.randn(1, 22, 32, device=DEVICE)

    def value(states, *weights):
        torch.manual_seed(1)
        return (fused_layers.layer(states, texts, settings, weights) * slope).sum()

    for number, given in enumerate(torch.autograd.grad(value(*inputs), inputs)):
        step = torch.randn_like(inputs[number]) * 1e-3
        there, back = (
            value(*(own + sign * step if place == number else own for place, own in enumerate(inputs))).detach()
            for sign in (1, -1)
        )
        assert float(there - back) / 2 == pytest.approx(float((given * step).sum()), rel=2e-2, abs=1e-3), number


@pytest.mark.skipif(ON_CPU, reason="Triton's interpreter has no bf16 products")
def test_bf16_is_as_close_as_that_of_pytorch():
    torch.manual_seed(0)
    inputs = [drawn(100, 256), drawn(256), drawn(100, 256), drawn(256), drawn(256)]
    x, bias, residual, weight, shift = inputs
    wanted = nn.functional.layer_norm(x + bias + residual, (256,), weight, shift, 1e-12)
    found = fused_layers.add_norm(*(own.bfloat16() for own in inputs), 1e-12, 0.0)
    close(found, wanted, 1e-2)
    close(fused_layers.bias_gelu(x.bfloat16(), bias.bfloat16()), nn.functional.gelu(x + bias), 1e-2)
