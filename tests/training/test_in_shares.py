"""What a step does to every parameter is the same, in shares of threads or by torch."""

import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from workbench.models.thread_pool import ThreadPool
from workbench.training import in_shares
from workbench.training.in_shares import AdamWInShares, clip_gradients, shares

POOL = ThreadPool(2)
WHOLE = 16
"""Numbers of a block in these tests, where tensors are small."""
SHAPES = [(70, 9), (9,), (1, 1), (40, 3), ()]


def parameters(*, some_without=False):
    draw = torch.Generator().manual_seed(0)
    found = [torch.nn.Parameter(torch.randn(shape, generator=draw)) for shape in SHAPES]
    give(found, draw, some_without=some_without)
    return found


def give(parameters, draw, *, some_without=False):
    for number, parameter in enumerate(parameters):
        gradient = torch.randn(parameter.shape, generator=draw)
        parameter.grad = None if some_without and number % 2 else gradient


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(in_shares, "WHOLE", WHOLE)


@given(st.lists(st.integers(1, 5 * WHOLE), max_size=12), st.integers(1, 9))
def test_shares_hold_every_number_once(sizes, count):
    found = shares(sizes, count)
    held = sorted((number, part.start, part.stop) for share in found for number, part in share)
    for number, size in enumerate(sizes):
        own = [(start, stop) for tensor, start, stop in held if tensor == number]
        assert own[0][0] == 0 and own[-1][1] == size
        assert all(before[1] == after[0] for before, after in pairwise(own))
    assert len(found) <= count and all(found)
    totals = [sum(part.stop - part.start for _, part in share) for share in found]
    if len(found) > 1:
        assert max(totals) - min(totals) <= WHOLE


@pytest.mark.parametrize("limit", [0.5, 1e3, math.inf])
def test_gradients_are_clipped_as_by_torch(limit):
    ours, theirs = parameters(some_without=True), parameters(some_without=True)
    norm = clip_gradients(ours, limit, POOL)
    wanted = torch.nn.utils.clip_grad_norm_(theirs, limit)
    torch.testing.assert_close(norm, wanted)
    for own, reference in zip(ours, theirs, strict=True):
        if reference.grad is None:
            assert own.grad is None
        else:
            torch.testing.assert_close(own.grad, reference.grad)


def test_without_gradients_the_norm_is_0():
    assert clip_gradients([], 1.0, POOL) == 0
    assert clip_gradients([torch.nn.Parameter(torch.ones(3))], 1.0, POOL) == 0


def test_a_norm_that_is_not_finite_is_returned():
    ours = parameters()
    ours[0].grad[0, 0] = math.nan
    assert math.isnan(clip_gradients(ours, 1.0, POOL))


def test_adamw_is_torchs_bit_for_bit():
    pairs = []
    for kind, more in ((AdamWInShares, {"pool": POOL}), (torch.optim.AdamW, {"fused": True})):
        own = parameters()
        groups = [
            {"params": own[:1] + own[3:4], "weight_decay": 0.1},
            {"params": own[1:3] + own[4:], "weight_decay": 0},
        ]
        optimiser, draw = kind(groups, lr=0.01, eps=1e-8, **more), torch.Generator().manual_seed(1)
        for step in range(6):
            give(own, draw, some_without=step % 2)
            optimiser.param_groups[0]["lr"] = 0.01 / (1 + step)
            optimiser.step()
        pairs.append((own, [optimiser.state[parameter] for parameter in own]))
    for ours, theirs in zip(*(own for own, _ in pairs), strict=True):
        assert torch.equal(ours, theirs)
    for ours, theirs in zip(*(states for _, states in pairs), strict=True):
        assert all(torch.equal(ours[part], theirs[part]) for part in ("step", "exp_avg", "exp_avg_sq"))


def test_a_gradient_in_another_order_of_memory_is_taken_as_it_is():
    ours, theirs = parameters(), parameters()
    optimisers = AdamWInShares(ours, lr=0.01, eps=1e-8, pool=POOL), torch.optim.AdamW(theirs, lr=0.01, fused=True)
    for _ in range(3):
        for own, optimiser in zip((ours, theirs), optimisers, strict=True):
            own[0].grad = torch.arange(630.0).reshape(9, 70).T
            clip_gradients(own, 1.0, POOL)
            optimiser.step()
    torch.testing.assert_close(ours[0], theirs[0])
