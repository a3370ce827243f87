import math
from itertools import islice

import numpy as np
import pytest
import torch

from tests.objectives.trial import gradients, loop_of, step, view
from tests.trial import TEXTS
from workbench.core.config import Term
from workbench.core.errors import BadData
from workbench.objectives.ct import partners
from workbench.training import dryrun


def term(**settings):
    return Term(views={"a": view(0, dropout="off")}, objective="ct", settings=settings)


@pytest.mark.parametrize("total", [False, True])
def test_matches_a_separate_computation(folder, total):
    loop = loop_of(folder, term(negatives=3, total=total))
    loss, _ = step(loop)
    vectors = loop.encoder.encode(TEXTS[:8]).astype(np.float64)
    others = partners(TEXTS[:8], 3, loop._batch(0, loop.config.terms[0], np.arange(8), 0).generator)
    assert [row for row, other in enumerate(others) if row == other] == [0, 4]
    each = []
    for row, other in enumerate(others):
        z = float(vectors[row] @ vectors[other])
        each.append(np.logaddexp(0, -z if row == other else z))
    assert float(loss) == pytest.approx(sum(each) / (1 if total else 8), rel=1e-4)


def test_zero_is_ln_2_for_both_and_the_gradient_is_sigma_minus_label(folder, monkeypatch):
    loop = loop_of(folder, term(negatives=1, total=True))
    module, batch = loop.objectives[0], loop._batch(0, loop.config.terms[0], np.arange(8), 0)
    generator = loop._batch(0, loop.config.terms[0], np.arange(8), 0).generator
    others = partners(TEXTS[:8], 1, generator)
    label = torch.tensor([float(row == other) for row, other in enumerate(others)])
    assert label.tolist() == [1.0, 0.0] * 4
    second = torch.eye(8)
    monkeypatch.setattr(module, "first", lambda _: torch.zeros(8, 8))
    assert float(module({"a": second}, batch)[0]) == pytest.approx(8 * math.log(2))
    z = torch.linspace(-3, 3, 8)
    first = (z[:, None] * second[others]).requires_grad_()  # so that z is the product of each row with its partner
    monkeypatch.setattr(module, "first", lambda _: first)
    batch = loop._batch(0, loop.config.terms[0], np.arange(8), 0)
    module({"a": second}, batch)[0].backward()
    torch.testing.assert_close((first.grad * second[others]).sum(dim=1), z.sigmoid() - label)


def test_both_encoders_start_equal_and_diverge(folder):
    loop = loop_of(folder, term())
    own, twin = loop.encoder.backbone, loop.objectives[0].twin
    pairs = list(zip(own.parameters(), twin.parameters(), strict=True))
    assert all(torch.equal(a, b) and a is not b for a, b in pairs)
    next(loop.run())
    assert any(not torch.equal(a, b) for a, b in pairs)
    assert gradients(loop).abs().max() > 0 and gradients(loop, "objectives.0.twin").abs().max() > 0


@pytest.mark.parametrize("form", ["pairs", "in_batch"])
def test_the_loss_falls(folder, form):
    loop = loop_of(folder, term(form=form, negatives=1), steps=30)
    seen = [done.loss for done in loop.run()]
    assert np.mean(seen[-5:]) < np.mean(seen[:5])


def test_the_scale_starts_at_20_and_cross_entropy_goes_both_ways(folder):
    loop = loop_of(folder, term(form="in_batch"))
    loss, losses = step(loop)
    vectors = loop.encoder.encode(TEXTS[:8]).astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    logits = 20 * vectors @ vectors.T
    expected = np.mean(np.log(np.exp(logits - logits.max()).sum(axis=1)) + logits.max() - np.diag(logits))
    assert float(loss) == pytest.approx(expected, abs=1e-4)
    assert float(losses["0.ct.scale"]) == pytest.approx(20)


def test_a_negative_pair_never_has_the_same_text_twice():
    generator = torch.Generator().manual_seed(0)
    texts = ["a", "a", "b", "a", "b", "c"]
    for _ in range(20):
        for row, other in enumerate(partners(texts, 2, generator)):
            assert (texts[row] == texts[other]) == (row % 3 == 0) and (row % 3 or row == other)
    with pytest.raises(BadData, match="equal texts"):
        partners(["a", "a"], 1, generator)


def test_resuming_gives_the_same_result(folder):
    whole = [done.loss for done in loop_of(folder, term(), steps=6).run()]
    first = loop_of(folder, term(), steps=6)
    start = [done.loss for done in islice(first.run(), 3)]
    kept = [{name: tensor.clone() for name, tensor in part.items()} for part in (first.weights(), first.moments())]
    second = loop_of(folder, term(), steps=6)
    second.restore(*kept, first.numbers())
    assert start + [done.loss for done in second.run()] == whole


def test_the_second_encoder_pools_with_its_own_weights(folder):
    """The pretrained pooler is part of an encoder, and the two encoders share no weights."""
    loop = loop_of(folder, term(), **{"model.pooling": "pooler", "model.eval_pooling": "pooler"})
    step(loop)
    own, twin = loop.encoder.backbone.pooler.dense.weight, loop.objectives[0].twin.pooler.dense.weight
    assert own.grad.abs().max() > 0 and twin.grad.abs().max() > 0


def test_the_dry_run_takes_texts_that_differ(folder):
    """A batch of copies of the longest line is invalid, and in training it appears together with other texts."""
    texts = ["the man plays the guitar and the woman runs on the red ball"] * 40 + TEXTS[:40]
    found = dryrun.estimate(loop_of(folder, term(), columns={"text": texts}, batch_size=32, steps=2))
    assert found.needed_bytes > 0
    with pytest.raises(BadData, match="equal texts"):
        dryrun.estimate(loop_of(folder, term(), columns={"text": texts[:40]}, batch_size=32))
