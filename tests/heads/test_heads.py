"""Layers, sizes and initial values of every head."""

import pytest
import torch
from torch import nn

from workbench.core.errors import BadMethod, BadSetting
from workbench.core.method import Method
from workbench.core.seeds import seeded
from workbench.heads import METHODS
from workbench.heads import build as build_head

SMALL = {"mlp": {}, "bn_projection": {}, "sg_opt_mlp": {"width": 12}, "projector": {"sizes": "12-10-6"}}
OUT = {"mlp": 8, "bn_projection": 8, "sg_opt_mlp": 12, "projector": 6}


def build(name, seed=0):
    with seeded(seed, "head"):
        return METHODS[name].fn(8, **SMALL[name])


def kinds(head):
    return [type(layer).__name__ for layer in head]


def test_every_head_of_the_specification_exists():
    assert set(METHODS) == set(SMALL)


@pytest.mark.parametrize("name", sorted(SMALL))
def test_size_seed_and_gradient(name):
    head = build(name)
    vectors = torch.randn(5, 8, requires_grad=True)
    out = head(vectors)
    assert out.shape == (5, OUT[name]) and out.isfinite().all()
    out.square().sum().backward()
    assert vectors.grad.isfinite().all()
    same, other = build(name), build(name, seed=1)
    assert all(torch.equal(a, b) for a, b in zip(head.parameters(), same.parameters(), strict=True))
    assert not torch.equal(next(head.parameters()), next(other.parameters()))


def test_mlp_is_tanh_of_a_dense_layer():
    head = build("mlp")
    vectors = 10 * torch.randn(5, 8)
    torch.testing.assert_close(head(vectors), torch.tanh(vectors @ head[0].weight.T + head[0].bias))
    assert head(vectors).abs().max() <= 1


def test_bn_projection_has_the_published_layers_and_centred_columns():
    head = build("bn_projection")
    assert kinds(head) == ["Linear", "BatchNorm1d", "ReLU", "Linear", "BatchNorm1d"]
    assert head[0].bias is None and head[3].bias is None and head[1].affine and not head[4].affine
    assert head[0].weight.shape == (16, 8)
    out = head(torch.randn(50, 8))
    torch.testing.assert_close(out.mean(0), torch.zeros(8), atol=1e-5, rtol=0)
    torch.testing.assert_close(out.var(0, unbiased=False), torch.ones(8), atol=1e-2, rtol=0)
    with pytest.raises(ValueError, match="more than 1 value"):
        head(torch.randn(1, 8))


def test_sg_opt_mlp_has_small_initial_weights():
    head = METHODS["sg_opt_mlp"].fn(64, width=256)
    assert kinds(head) == ["Linear", "GELU", "Linear", "GELU"]
    for layer in (head[0], head[2]):
        assert layer.weight.std().item() == pytest.approx(0.02, rel=0.1) and not layer.bias.any()
    assert METHODS["sg_opt_mlp"].settings["width"].default == 4096


def test_projector_follows_its_sizes():
    head = build("projector")
    assert kinds(head) == ["Linear", "BatchNorm1d", "ReLU", "Linear", "BatchNorm1d", "ReLU", "Linear", "BatchNorm1d"]
    assert [layer.out_features for layer in head if isinstance(layer, nn.Linear)] == [12, 10, 6]
    assert not any(layer.bias is not None for layer in head if isinstance(layer, nn.Linear))
    assert not head[-1].affine
    assert kinds(METHODS["projector"].fn(8, sizes="4")) == ["Linear", "BatchNorm1d"]


@pytest.mark.parametrize("sizes", ["", "-", "4-", "4-x", "0-4", "4 - 4", "99999999"])
def test_projector_refuses_invalid_sizes(sizes):
    with pytest.raises(BadSetting, match="sizes cannot be"):
        METHODS["projector"].fn(8, sizes=sizes)


@pytest.mark.parametrize("name", sorted(SMALL))
def test_a_head_that_was_tried_is_as_it_was_made(name):
    with seeded(0, "head"):
        tried = build_head(name, 8, **SMALL[name])
    fresh = build(name).state_dict()
    assert tried.training
    assert all(torch.equal(tensor, fresh[key]) for key, tensor in tried.state_dict().items())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda dim: None, "did not return a module.*Got: nothing"),
        (lambda dim: nn.Linear, "did not return a module.*Got: the class Linear"),
        (lambda dim: lambda vectors: vectors, "did not return a module.*Got: function"),
        (lambda dim: nn.LSTM(dim, 4), "did not return a module from .*Got: tuple"),
        (
            lambda dim: nn.Unflatten(1, (2, -1)),
            r"did not return a module from .*Got: Tensor of shape \(2, 2, 4\), float32",
        ),
        (lambda dim: nn.Linear(3, 3), "failed: RuntimeError.*Reason: mat1 and mat2 shapes"),
        (lambda dim: nn.Linear(dim, 3).double(), "failed: RuntimeError.*same dtype"),
    ],
)
def test_a_faulty_head_is_named(monkeypatch, make, message):
    make.__name__ = "mine"
    monkeypatch.setitem(METHODS, "mine", Method(make, title="", source=""))
    with pytest.raises(BadMethod, match=f"The head mine {message}") as caught:
        build_head("mine", 8)
    assert f"It is in {__name__}." in str(caught.value)
