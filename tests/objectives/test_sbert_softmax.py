import math

import numpy as np
import pytest
import torch

from tests.objectives.trial import loop_of, step, view
from tests.trial import TEXTS
from workbench.core.config import Term
from workbench.core.errors import BadData, BadSetting
from workbench.objectives.sbert_softmax import sbert_softmax

COLUMNS = {"text": TEXTS, "positive": TEXTS[::-1]}
LABELS = {"label": np.arange(len(TEXTS)) % 3}


def term(**settings):
    views = {"a": view(0), "b": view(0, role="positive")}
    return Term(views=views, objective="sbert_softmax", settings=settings)


def test_matches_a_separate_computation(folder):
    loop = loop_of(folder, term(), columns=COLUMNS, numbers=LABELS)
    loss, losses = step(loop)
    u, v = loop.encoder.encode(TEXTS[:8]), loop.encoder.encode(TEXTS[::-1][:8])
    weight, bias = (p.detach().numpy() for p in loop.objectives[0].parameters())
    total = 0.0
    for row in range(8):
        logits = [
            sum(weight[k, i] * x for i, x in enumerate([*u[row], *v[row], *abs(u[row] - v[row])])) + bias[k]
            for k in range(3)
        ]
        total += math.log(sum(math.exp(x) for x in logits)) - logits[row % 3]
    assert float(loss) == pytest.approx(total / 8, abs=1e-4)
    assert 0 <= float(losses["0.sbert_softmax.accuracy"]) <= 1


def test_blocks(folder):
    encoder = loop_of(folder, term(), columns=COLUMNS, numbers=LABELS).encoder
    u, v = torch.randn(3, 32), torch.randn(3, 32)
    plain, full = sbert_softmax(encoder), sbert_softmax(encoder, product=True, maximum=True)
    assert torch.equal(plain.features(u, v)[:, 64:], plain.features(v, u)[:, 64:])
    assert torch.equal(plain.features(u, u)[:, 64:], torch.zeros(3, 32))
    assert full.features(u, v).shape == (3, 160)
    torch.testing.assert_close(full.features(u, v)[:, 96:128], u * v)
    torch.testing.assert_close(full.features(u, v)[:, 128:], torch.maximum(u, v) ** 2)


def test_the_loss_falls_and_vectors_learn(folder):
    loop = loop_of(folder, term(), columns=COLUMNS, numbers=LABELS, steps=30)
    seen = [done.loss for done in loop.run()]
    assert np.mean(seen[-5:]) < np.mean(seen[:5])


def test_labels_are_required_and_checked_before_the_first_step(folder):
    with pytest.raises(BadData, match="'label'"):
        loop_of(folder, term(), columns=COLUMNS)
    for odd in (2, -1):  # in the last row only
        labels = np.arange(len(TEXTS)) % 2
        labels[-1] = odd
        with pytest.raises(BadData, match=f"2 labels.*{min(odd, 0)} to {max(odd, 1)}"):
            loop_of(folder, term(classes=2), columns=COLUMNS, numbers={"label": labels})


def test_a_head_that_changes_the_length_is_refused(folder):
    settings = {"model.head": "projector", "model.head_settings": {"sizes": "16-8"}}
    loop = loop_of(folder, term(), columns=COLUMNS, numbers=LABELS, **settings)
    with pytest.raises(BadSetting, match="sbert_softmax takes vectors of length 32"):
        step(loop)
