import math

import numpy as np
import pytest
import torch

from tests.objectives.trial import gradients, loop_of, step, view
from tests.trial import TEXTS
from workbench.core.config import Term
from workbench.core.errors import BadSetting
from workbench.losses import METHODS as LOSSES
from workbench.objectives.sg_opt import guided


def term(**settings):
    return Term(views={"a": view()}, objective="sg_opt", settings={"width": 16, **settings})


def test_matches_a_separate_computation():
    own = torch.randn(3, 5, generator=torch.Generator().manual_seed(0))
    layers = torch.randn(3, 4, 5, generator=torch.Generator().manual_seed(1))

    def phi(x, y):
        return float(x @ y / (x.norm() * y.norm())) / 0.3

    total = 0.0
    for i in range(3):
        others = sum(math.exp(phi(own[i], layers[j, m])) for j in range(3) if j != i for m in range(4))
        for k in range(4):
            positive = math.exp(phi(own[i], layers[i, k]))
            total -= math.log(positive / (positive + others))
    assert float(guided(own, layers, temperature=0.3)) == pytest.approx(total / 12, rel=1e-5)


def test_a_pooling_of_the_layer_that_is_not_trained_is_refused(folder):
    with pytest.raises(BadSetting, match="static"):
        loop_of(folder, term(), pooling="static", eval_pooling="static")


def test_one_layer_is_infonce():
    a, b = torch.randn(6, 8), torch.randn(6, 8)
    expected = LOSSES["infonce_nn"].fn(a, b, temperature=0.05)
    torch.testing.assert_close(guided(a, b[:, None], temperature=0.05), expected)


def test_the_layers_are_means_of_the_start_and_the_distance_begins_at_0(folder):
    texts = [*TEXTS[:5], *TEXTS[-4:]]  # of two lengths
    loop = loop_of(folder, term(regularisation=2.0), columns={"text": texts}, steps=3)
    loss, losses = step(loop)
    assert float(losses["0.sg_opt.distance"]) == 0
    assert float(loss) == pytest.approx(float(losses["0.sg_opt.contrast"]))
    batch = loop._batch(0, loop.config.terms[0], np.arange(3, 7), 0)
    loop.texts.shown = {}
    layers = loop.objectives[0].layers(batch)
    ids, mask = loop.encoder.tokenise(texts[3:7]).batch(range(4))
    with torch.no_grad(), loop.encoder.evaluating():
        for number, states in enumerate(loop.encoder.forward(ids, mask)):
            for row in range(4):
                torch.testing.assert_close(layers[row, number], states[row, mask[row].bool()].mean(dim=0))
    before = loop.objectives[0].layers(batch).clone()
    steps = [done.losses for done in loop.run()]
    assert all(
        one["0.sg_opt"] == pytest.approx(one["0.sg_opt.contrast"] + 2 * one["0.sg_opt.distance"]) for one in steps
    )
    seen = [one["0.sg_opt.distance"] for one in steps]
    assert seen[0] == 0 < seen[1] < seen[2]
    own = dict(loop.encoder.backbone.named_parameters())
    start = dict(loop.objectives[0].frozen[0].named_parameters())
    with torch.no_grad():
        total = sum(float((own[name] - start[name]).square().sum()) for name in own)
        assert float(loop.objectives[0].distance()) == pytest.approx(total, rel=1e-4)
    loop.texts.shown = {}
    assert torch.equal(before, loop.objectives[0].layers(batch))


def test_both_sides_train_the_projection(folder):
    loop = loop_of(folder, term(temperature=0.1))
    loss, _ = step(loop)
    module, vectors = loop.objectives[0], torch.from_numpy(loop.encoder.encode(TEXTS[:8]))
    layers = module.layers(loop._batch(0, loop.config.terms[0], np.arange(8), 0))
    wanted = guided(module.projection(vectors), module.projection(layers), temperature=0.1)
    assert float(loss) == pytest.approx(wanted.item(), rel=1e-4)
    parameters = [*module.projection.parameters()]
    for parameter, slope in zip(parameters, torch.autograd.grad(wanted, parameters), strict=True):
        torch.testing.assert_close(parameter.grad, slope, atol=1e-5, rtol=1e-3)


def test_everything_but_the_embedding_layer_is_trained(folder):
    loop = loop_of(folder, term(), steps=30)
    assert not any("embeddings" in name for name in loop.named_parameters())
    step(loop)
    assert gradients(loop).abs().max() > 0 and gradients(loop, "objectives.").abs().max() > 0
    seen = [done.loss for done in loop.run()]
    assert np.mean(seen[-5:]) < np.mean(seen[:5])


def test_the_frozen_copy_reads_in_as_many_chunks_as_the_run_has(folder):
    found = []
    for chunks in (0, 3):
        loop = loop_of(folder, term(), memory_parts=chunks)
        step(loop)
        found.append(loop.objectives[0].layers(loop._batch(0, loop.config.terms[0], np.arange(8), 0)))
    torch.testing.assert_close(*found)
