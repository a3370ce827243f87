import math

import numpy as np
import pytest
import torch

from tests.objectives.trial import gradients, loop_of, step, view
from workbench.core.config import Term
from workbench.core.errors import BadData
from workbench.objectives.isbert import information


def term(**settings):
    return Term(views={"text": view()}, objective="isbert", settings={"channels": 8, **settings})


def softplus(x):
    return math.log1p(math.exp(-abs(x))) + max(x, 0)


def test_matches_a_separate_computation():
    local = torch.randn(3, 4, 5, generator=torch.Generator().manual_seed(0))
    lengths = [4, 2, 3]
    mask = (torch.arange(4) < torch.tensor(lengths)[:, None]).long()
    whole = [local[s, : lengths[s]].mean(dim=0) for s in range(3)]
    own, other = [], []
    for s in range(3):
        for t in range(lengths[s]):
            for r in range(3):
                u = float(local[s, t] @ whole[r])
                (own if r == s else other).append(
                    math.log(2) - softplus(-u) if r == s else softplus(-u) + u - math.log(2)
                )
    assert len(other) == sum(lengths) * 2
    found = information(local, mask)
    assert [float(value) for value in found] == pytest.approx([np.mean(own), np.mean(other)], abs=1e-5)
    assert torch.autograd.gradcheck(lambda local: information(local, mask), local.double().requires_grad_())


def test_uninformative_features_give_0_and_own_features_lower_it():
    mask = torch.ones(2, 3, dtype=torch.long)
    own, other = information(torch.zeros(2, 3, 4), mask)
    assert float(other - own) == pytest.approx(0, abs=1e-6)
    match = torch.eye(2)[:, None, :].expand(2, 3, 2)
    own, other = information(match, mask)
    assert float(other - own) < 0


def test_padding_changes_nothing(folder):
    loop = loop_of(folder, term())
    module = loop.objectives[0]
    states, mask = torch.randn(2, 5, 32), torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
    one = information(module.local(states, mask), mask)
    longer = torch.cat([states, torch.randn(2, 3, 32)], dim=1)
    more = torch.cat([mask, torch.zeros(2, 3, dtype=torch.long)], dim=1)
    torch.testing.assert_close(one, information(module.local(longer, more), more))


def test_it_learns_in_the_backbone_and_refuses_one_text(folder):
    loop = loop_of(folder, term(), steps=30)
    with pytest.raises(BadData, match="without negatives"):
        loop.forward(np.arange(1), 0)
    assert [window.kernel_size for window in loop.objectives[0].windows] == [(1,), (3,), (5,)]
    loss, figures = step(loop)
    assert float(loss) == pytest.approx(float(figures["0.isbert.other"] - figures["0.isbert.own"]))
    assert gradients(loop).abs().max() > 0
    seen = [done.loss for done in loop.run()]
    assert np.mean(seen[-5:]) < np.mean(seen[:5])
    assert next(iter(loop_of(folder, term(), steps=1).run())).accuracy is None
