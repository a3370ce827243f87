"""The fused attention is the plain one of small matrices."""

import logging
import os
from functools import partial

import numpy as np
import pytest
import torch

from tests.tiny import tiny_model
from workbench.models import fused_attention, heads_apart, unpadded
from workbench.models.graphs import BEFORE, Graphs
from workbench.models.load import load

# Triton reads it when it is imported.
ON_CPU = fused_attention.available() and os.environ.get("TRITON_INTERPRET") == "1" and not torch.cuda.is_available()
DEVICE = "cuda:0" if torch.cuda.is_available() else "cpu"
needs_triton = pytest.mark.skipif(
    not ((torch.cuda.is_available() and fused_attention.available()) or ON_CPU),
    reason="Triton's kernels need a GPU; they run on a CPU if it is installed and TRITON_INTERPRET is 1",
)


def inputs_of(lengths, heads, dim, dtype=torch.float32):
    """(projections of all tokens as a model gives them, texts, layout of heads_apart) for random states."""
    lengths = np.array(lengths)
    torch.manual_seed(len(lengths))
    states = [torch.randn(1, lengths.sum(), heads * dim, device=DEVICE).to(dtype).requires_grad_() for _ in range(3)]
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    begin, length = (torch.from_numpy(own).int().to(DEVICE) for own in (starts, lengths))
    texts = fused_attention.Texts(begin, length, fused_attention.tile(int(lengths.max())))
    real, width = lengths[lengths > 0], int(lengths.max())
    places = np.concatenate([number * width + np.arange(own) for number, own in enumerate(real)])
    return states, texts, heads_apart.layout_of(torch.from_numpy(places).to(DEVICE), real, width, heads)


def split(states, heads):
    return (own.view(1, own.shape[1], heads, -1).transpose(1, 2) for own in states)


def close(found, wanted, share):
    found, wanted = found.detach().float(), wanted.detach()
    assert float((found - wanted).norm()) <= share * float(wanted.norm())


@needs_triton
@pytest.mark.parametrize("dtype, share", [(torch.float32, 1e-5), (torch.bfloat16, 1e-2)])
@pytest.mark.parametrize(
    "lengths, heads, dim",
    [([3, 9, 4, 16, 5], 2, 16), ([20, 3, 0, 12], 3, 24), ([7, 40], 1, 64), ([1], 2, 32), ([100, 1], 1, 32)],
)
def test_results_and_gradients_are_those_of_small_matrices(lengths, heads, dim, dtype, share):
    if ON_CPU and dtype is torch.bfloat16:
        pytest.skip("Triton's interpreter has no bf16 products")
    if not ON_CPU and max(lengths) > fused_attention.LONGEST[dtype.itemsize]:
        pytest.skip("such a tile takes minutes to compile, and is not used")
    states, texts, layout = inputs_of(lengths, heads, dim, dtype)
    found = fused_attention.attention(*split(states, heads), texts, None, 0.0)
    exact = [own.detach().float().requires_grad_() for own in states]
    wanted = heads_apart.attention(*split(exact, heads), layout, None, 0.0)
    close(found, wanted, share)
    slope = torch.randn_like(wanted)
    slopes = zip(
        torch.autograd.grad(found, states, slope.to(dtype)), torch.autograd.grad(wanted, exact, slope), strict=True
    )
    for own, other in slopes:
        # A text of one token has no gradient of query and key.
        close(own, other, share) if float(other.norm()) > 1e-3 else close(own + 1, other + 1, share)


@needs_triton
def test_dropout_drops_its_share_and_repeats_in_the_backward_pass():
    """With one-hot values, the result is the weights themselves; the gradient is checked against differences."""
    heads, dim, rate = 2, 16, 0.25
    states, texts, _ = inputs_of([16] * 60, heads, dim)
    ones = torch.eye(16, device=DEVICE).repeat(60, heads)[None]
    still = [torch.zeros_like(own) for own in states[:2]]
    torch.manual_seed(0)
    weights = fused_attention.attention(*split([*still, ones], heads), texts, None, rate)
    kept = weights > 0
    assert float(kept.float().mean()) == pytest.approx(1 - rate, abs=0.02)
    torch.testing.assert_close(weights[kept], torch.full_like(weights[kept], 1 / 16 / (1 - rate)))
    assert len(torch.unique(kept.flatten(2), dim=1)[0]) > 0.9 * kept.shape[1], "every head of every text has its own"

    def value(own):
        torch.manual_seed(0)
        return (fused_attention.attention(*split(own, heads), texts, None, rate) * slope).sum()

    slope = torch.randn_like(weights)
    for number, given in enumerate(torch.autograd.grad(value(states), states)):
        step = torch.randn_like(states[number]) * 1e-2
        there, back = (
            value([own + sign * step if place == number else own for place, own in enumerate(states)]).detach()
            for sign in (1, -1)
        )
        assert float(there - back) / 2 == pytest.approx(float((given * step).sum()), rel=5e-3)


@pytest.mark.skipif(not ON_CPU, reason="on a GPU, test_cuda.py trains whole recipes so")
@pytest.mark.parametrize(
    "family, pieces", [("bert", 1), ("bert", 2), ("roberta", 1), ("xlm-roberta", 1), ("electra", 1), ("distilbert", 1)]
)
def test_a_backbone_has_the_states_and_gradients_that_it_has_without(monkeypatch, tmp_path, family, pieces):
    """Also where its layers run from a graph, whose making is left out here."""
    encoder = load(str(tiny_model(tmp_path, family, "plain")))
    random = np.random.default_rng(0)
    mask = torch.from_numpy((np.arange(16) < np.array([3, 9, 16, 5])[:, None]).astype(np.int64))
    ids = torch.from_numpy(random.integers(5, encoder.backbone.config.vocab_size, (4, 16))) * mask
    weights = list(encoder.backbone.parameters())
    made = []

    def results(graphs):
        with encoder.computing("fp32", unpadded=True) as computing:
            encoder.backbone.train()
            (states,) = computing(ids, mask, graphs=graphs)
        slopes = torch.autograd.grad(states.square().sum(), weights, allow_unused=True)
        return states, [slope for slope in slopes if slope is not None]

    def make(stacks, own, **_):
        assert len(stacks) == len(own) == pieces and all(inputs[0].requires_grad for inputs in own)
        made.append(stacks)
        return stacks

    with encoder.dropout("off"):
        wanted, wished = results(None)
        monkeypatch.setattr(unpadded, "queues", lambda device: True)
        monkeypatch.setattr(fused_attention, "works", lambda device: True)
        for name in ("get_rng_state", "set_rng_state", "graph_pool_handle"):
            monkeypatch.setattr(torch.cuda, name, lambda *_: None)
        monkeypatch.setattr(torch.cuda, "make_graphed_callables", make)
        graphs = Graphs(pieces=pieces)
        for step in range(5):
            graphs.free = True
            states, slopes = results(graphs)
            assert not graphs.free and len(made) == (step >= BEFORE)
            torch.testing.assert_close(states, wanted, atol=1e-5, rtol=1e-4)
            torch.testing.assert_close(slopes, wished, atol=2e-4, rtol=1e-3)
        results(graphs)
        assert len(made) == 1, "busy graphs are left alone"


def test_kernels_are_used_only_where_they_compile_soon_and_fit(monkeypatch):
    monkeypatch.setattr(fused_attention, "works", lambda device: True)
    fits = partial(fused_attention.fits, torch.device("cuda:0"))
    assert fits(128, 64, torch.bfloat16) and fits(64, 64, torch.float32)
    assert not fits(129, 64, torch.bfloat16) and not fits(65, 64, torch.float32) and not fits(16, 128, torch.bfloat16)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is no broken GPU here")
@pytest.mark.parametrize("capability, warned", [((7, 5), False), ((9, 0), True)])
def test_kernels_that_do_not_work_are_left_out_with_a_warning(capability, warned, monkeypatch):
    """A GPU that is not there, where they fail as without a compiler: when the first one is tried."""
    monkeypatch.setattr(fused_attention, "available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    said, logger = [], logging.getLogger(fused_attention.__name__)
    monkeypatch.setattr(logger, "warning", lambda text, *given: said.append(text % given))
    fused_attention.works.cache_clear()
    assert not fused_attention.works(torch.device("cuda:0"))
    assert ["go on without them" in text for text in said] == [True] * warned
    fused_attention.works.cache_clear()


@pytest.mark.parametrize("longest", [16, 32, 128])
def test_fillers_round_numbers_of_tokens(longest):
    found = {tokens: unpadded.fillers(tokens, longest) for tokens in range(1, 3000)}
    for tokens, own in found.items():
        assert own.min(initial=0) >= 0 and own.max(initial=0) <= longest
        assert 0 <= own.sum() <= tokens / 16
    sizes = {(tokens + int(own.sum()), len(own)) for tokens, own in found.items() if tokens >= 2048}
    assert sizes == {(tokens, -(-128 // longest)) for tokens in range(2048, 3073, 128)}
