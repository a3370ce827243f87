"""Every recipe on a GPU, where there is one."""

import logging
from itertools import islice

import numpy as np
import pytest
import torch

from tests.recipes.trial import furnish, loop_of, losses
from workbench.core.errors import Diverged
from workbench.models import graphs, unpadded
from workbench.recipes import RECIPES

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
DEVICE = "cuda:0"
FINE_TUNES = [name for name, recipe in RECIPES.items() if not recipe.pretrains]
DRAWS_NOTHING = ("cosent", "matryoshka", "sbert", "simcse_2n", "simcse_sup", "simcse_unsup", "triplet")
"""Recipes whose steps are the same on every device if there is no dropout."""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return furnish(tmp_path_factory.mktemp("cuda"))


@pytest.mark.parametrize("name", FINE_TUNES)
def test_it_trains_in_either_precision(name, place):
    for precision in ("fp32", "bf16"):
        loop = loop_of(place, name, device=DEVICE, **{"training.precision": precision})
        steps = list(islice(loop.run(), 4))
        assert np.isfinite(losses(steps)).all() and all(step.gradient_norm > 0 for step in steps)
        assert all(tensor.device.type == torch.device(DEVICE).type for tensor in loop.named_parameters().values())


@pytest.mark.parametrize("name", DRAWS_NOTHING)
def test_without_dropout_its_first_step_is_that_of_the_cpu(name, place):
    plain = {"training.dropout": 0.0}
    here, there, rounded = (
        next(loop_of(place, name, device=device, **plain, **{"training.precision": precision}).run())
        for device, precision in (("cpu", "fp32"), (DEVICE, "fp32"), (DEVICE, "bf16"))
    )
    assert there.loss == pytest.approx(here.loss, rel=1e-3)
    assert there.gradient_norm == pytest.approx(here.gradient_norm, rel=1e-2)
    assert rounded.loss == pytest.approx(here.loss, rel=0.05, abs=0.05)


def test_chunks_have_the_gradient_of_the_batch(place):
    """With the same dropout masks, which are drawn again for each chunk."""
    whole, chunks = (
        next(loop_of(place, "simcse_unsup", device=DEVICE, **{f"training.{name}": 4}).run())
        for name in ("parts", "memory_parts")
    )
    assert chunks.loss == pytest.approx(whole.loss, rel=1e-5)
    assert chunks.gradient_norm == pytest.approx(whole.gradient_norm, rel=1e-4)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="no second CUDA device here")
def test_a_second_gpu_trains_as_the_first_does(place):
    """Also while the first is the current one, where kernels, graphs and events would go to by themselves."""
    first, second = (
        losses(loop_of(place, "simcse_unsup", device=device, **{"training.precision": "bf16"}).run())
        for device in ("cuda:0", "cuda:1")
    )
    assert second == pytest.approx(first, rel=1e-3)


def test_vectors_are_those_of_the_cpu(place):
    from tests.trial import TEXTS

    here, there = (loop_of(place, "simcse_unsup", device=device).encoder.encode(TEXTS) for device in ("cpu", DEVICE))
    np.testing.assert_allclose(there, here, atol=1e-4)


def gradients(loop):
    """The loss of the next step, and the gradient that it gives every parameter."""
    step = next(loop.run())
    return step.loss, {name: tensor.grad.clone() for name, tensor in loop.named_parameters().items()}


def close(found, wanted, share):
    """Whether every gradient is off by at most this share of the largest norm."""
    largest = max(float(tensor.norm()) for tensor in wanted.values())
    assert largest > 0
    assert max(float((found[name] - wanted[name]).norm()) for name in wanted) <= share * largest


@pytest.mark.parametrize("precision, share", [("fp32", 1e-4), ("bf16", 0.05)])
def test_leaving_padding_out_changes_nothing(place, monkeypatch, precision, share):
    plain = {"training.dropout": 0.0, "training.precision": precision}
    loop = loop_of(place, "simcse_unsup", device=DEVICE, **plain)
    found, own = gradients(loop)
    assert loop.encoder.prepared("fp32", unpadded=True).unpadded
    monkeypatch.setattr(unpadded, "supports", lambda backbone: False)
    wanted, other = gradients(loop_of(place, "simcse_unsup", device=DEVICE, **plain))
    assert found == pytest.approx(wanted, rel=share)
    close(own, other, share)


def test_a_graph_that_cannot_be_made_changes_nothing(place, monkeypatch):
    """What is captured draws a random number, as dropout does, and then waits for the GPU, which no graph can hold."""
    settings = {"training.steps": 8, "training.precision": "bf16"}
    wanted = losses(loop_of(place, "simcse_unsup", device=DEVICE, **settings).run())
    failed, said = [], []

    def make(*_, **__):
        failed.append(True)
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            torch.rand(1, device=DEVICE).item()

    monkeypatch.setattr(torch.cuda, "make_graphed_callables", make)
    monkeypatch.setattr(logging.getLogger(graphs.__name__), "warning", lambda text, *given: said.append(text % given))
    found = losses(loop_of(place, "simcse_unsup", device=DEVICE, **settings).run())
    assert failed == [True] and len(said) == 1 and "goes on without them" in said[0]
    assert found == pytest.approx(wanted, rel=1e-3)


def test_steps_read_late_are_those_read_at_once(place):
    at_once = list(islice(loop_of(place, "simcse_unsup", device=DEVICE).run(), 5))
    queued = list(islice(loop_of(place, "simcse_unsup", device=DEVICE).queued(), 5))
    late = [taken.read() for taken in queued]
    assert losses(late) == losses(at_once)
    assert [step.gradient_norm for step in late] == [step.gradient_norm for step in at_once]
    assert all(step.seconds > 0 for step in late)


def test_a_step_that_diverges_changes_no_weights_however_late_it_is_read(place):
    loop = loop_of(place, "simcse_unsup", device=DEVICE, **{"training.clip": 0.0})
    steps = loop.queued()
    next(steps).read()
    with torch.no_grad():
        loop.encoder.backbone.get_input_embeddings().weight.fill_(1e30)
    before = {name: tensor.clone() for name, tensor in loop.weights().items()}
    assert all(bool(tensor.isfinite().all()) for tensor in before.values())
    second, third = next(steps), next(steps)
    for taken in (second, third):
        with pytest.raises(Diverged, match=f"at step {taken.step}"):
            taken.read()
    for name, tensor in loop.weights().items():
        assert torch.equal(tensor, before[name]), name


@pytest.mark.parametrize("pieces", [1, 2])
def test_steps_from_graphs_are_those_without(place, pieces):
    """Also their random numbers: a training that is resumed makes its graphs at another step."""
    plain = {"training.steps": 12, "training.batch_size": 16}
    without, within = (loop_of(place, "simcse_unsup", device=DEVICE, **plain) for _ in range(2))
    without.views.graphs, within.views.graphs.pieces = None, pieces
    wanted, found = list(without.run()), list(within.run())
    assert within.views.graphs._made, "a number of tokens came back often enough"
    assert losses(found) == pytest.approx(losses(wanted), rel=1e-4)
    assert [step.gradient_norm for step in found] == pytest.approx([step.gradient_norm for step in wanted], rel=1e-3)
    for name, tensor in within.weights().items():
        torch.testing.assert_close(tensor, without.weights()[name], atol=1e-5, rtol=1e-3)


def test_every_recipe_trains_from_graphs(place):
    for name in FINE_TUNES:
        without, within = (loop_of(place, name, device=DEVICE, **{"training.steps": 8}) for _ in range(2))
        without.views.graphs = None
        assert losses(list(within.run())) == pytest.approx(losses(list(without.run())), rel=1e-3, abs=1e-4), name
