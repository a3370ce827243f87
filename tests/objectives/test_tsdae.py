import numpy as np
import pytest
import torch

from tests.objectives.trial import gradients, loop_of, step, view
from tests.trial import TEXTS
from workbench.core.config import Term
from workbench.core.errors import BadSetting


def term(**settings):
    views = {"a": view(augmentation="eda_delete(rate=0.6)")}
    return Term(views=views, objective="tsdae", settings={"dropout": 0.0, **settings})


def test_matches_a_separate_computation_text_by_text(folder):
    """Without padding, token by token; the target is the original although the encoder saw fewer words."""
    loop = loop_of(folder, term())
    loss, _ = step(loop)
    module, words = loop.objectives[0], loop.encoder.backbone.get_input_embeddings().weight
    shown = loop.texts.show(loop.config.terms[0].views["a"], np.arange(8), 0).texts()
    assert shown != TEXTS[:8]
    total = []
    with torch.no_grad():
        vectors = torch.from_numpy(loop.encoder.encode(shown))
        for row, text in enumerate(TEXTS[:8]):
            ids, _ = loop.encoder.tokenise([text]).batch([0])
            for place in range(1, ids.shape[1]):
                state = module.states(vectors[row : row + 1], ids[:, :place], words)[0, -1]
                logits = (words @ state + module.bias).double()
                total.append(float(logits.logsumexp(0) - logits[ids[0, place]]))
    assert float(loss) == pytest.approx(np.mean(total), rel=1e-4)


def test_the_decoder_knows_the_text_only_through_its_vector(folder):
    loop = loop_of(folder, term())
    module, words = loop.objectives[0].eval(), loop.encoder.backbone.get_input_embeddings().weight
    ids, _ = loop.encoder.tokenise(TEXTS[:2]).batch(range(2))
    vectors = torch.randn(2, 32, requires_grad=True)
    states = module.states(vectors, ids, words)
    changed = ids.clone()
    changed[:, 4:] = 7
    torch.testing.assert_close(states[:, :4], module.states(vectors, changed, words)[:, :4])
    states[:, 0].square().sum().backward()
    assert vectors.grad.abs().min(dim=1).values.max() > 0


def test_it_learns(folder):
    loop = loop_of(folder, term(), steps=30)
    step(loop)
    assert gradients(loop).abs().max() > 0 and gradients(loop, "objectives.").abs().max() > 0
    seen = [done.loss for done in loop.run()]
    assert np.mean(seen[-5:]) < np.mean(seen[:5])


def test_heads_must_divide_the_width(folder):
    with pytest.raises(BadSetting, match="heads"):
        loop_of(folder, term(heads=5))
