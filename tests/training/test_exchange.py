"""Buckets of gradients: what they hold, when they are sent, and that no gradient is counted twice or forgotten."""

import pytest
import torch
from torch import distributed, nn

from workbench.training.exchange import Exchange

SHAPES = {"backbone.table": (50, 4), "backbone.first": (4, 4), "backbone.bias": (4,), "backbone.last": (4, 4)}
SHAPES |= {"backbone.pooler": (4, 4), "head.weight": (4, 4), "objectives.0.weight": (3,)}
UNUSED = "backbone.pooler"


@pytest.fixture(scope="module", autouse=True)
def group():
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    yield
    distributed.destroy_process_group()


@pytest.fixture
def parameters():
    return {name: nn.Parameter(torch.randn(shape)) for name, shape in SHAPES.items()}


def step(exchange, parameters, *, without=(UNUSED,), early=("backbone.last", "backbone.bias", "backbone.first")):
    """One step, in which the last part of some gradients comes early and in bf16; the gradients that it should lead to."""
    wanted = {}
    for name, parameter in parameters.items():
        parameter.grad = None if name in without else torch.randn_like(parameter)
        wanted[name] = None if name in without else parameter.grad.clone()
    exchange.begin()
    for name in early:
        if name not in without:
            piece = torch.randn_like(parameters[name], dtype=torch.bfloat16)
            wanted[name] = wanted[name] + piece.float()
            exchange.ready(parameters[name], piece)
    exchange.finish(parameters)
    return wanted


def check(parameters, wanted, count=1):
    for name, parameter in parameters.items():
        if wanted[name] is None:
            assert parameter.grad is None, name
        else:
            mean = count if name.startswith(("head.", "objectives.")) else 1
            torch.testing.assert_close(parameter.grad, wanted[name] / mean, msg=name)


@pytest.mark.parametrize("size", [1, 70, 130, 10_000])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_sums_of_the_backbone_and_means_of_the_rest(parameters, size, count):
    exchange = Exchange(count, bucket_bytes=size)
    for _ in range(3):
        check(parameters, step(exchange, parameters), count)


def test_a_bucket_leaves_as_soon_as_it_is_full(parameters):
    exchange = Exchange(1, bucket_bytes=130)
    step(exchange, parameters)
    assert exchange.early == 0, "nobody knows yet which parameters have gradients"
    step(exchange, parameters)
    assert exchange.early == 3, "head with objective, last with bias, first; not the table, which is never early"
    wanted = step(exchange, parameters, early=("backbone.first", "backbone.bias"))
    assert exchange.early == 1, "the same bucket at the same time everywhere: none overtakes"
    check(parameters, wanted)


@pytest.mark.parametrize("gone", ["head.weight", "backbone.last", "backbone.table", "objectives.0.weight"])
def test_parameters_that_have_a_gradient_in_some_steps_only(parameters, gone):
    exchange = Exchange(2, bucket_bytes=130)
    for without in [(UNUSED,), (UNUSED, gone), (), (UNUSED, gone), (gone,), (UNUSED,)]:
        check(parameters, step(exchange, parameters, without=without), 2)


def test_a_piece_without_anything_before_it(parameters):
    exchange = Exchange(1)
    for _ in range(2):
        for parameter in parameters.values():
            parameter.grad = None
        pieces = {name: torch.randn_like(parameters[name]) for name in ("backbone.last", "backbone.first")}
        exchange.begin()
        for name, piece in pieces.items():
            exchange.ready(parameters[name], piece)
        exchange.finish(parameters)
        check(parameters, dict.fromkeys(SHAPES) | pieces)
