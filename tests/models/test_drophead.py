import numpy as np
import pytest
import torch

from tests.objectives.trial import contrast, gradients, loop_of, step, view
from tests.tiny import FAMILIES, tiny_model
from tests.trial import TEXTS
from workbench.core.config import Term
from workbench.core.errors import BadModel, BadSetting
from workbench.core.seeds import seeded
from workbench.models.drophead import BEHIND, dropping_heads
from workbench.models.load import load
from workbench.recipes import settle

HEADS = 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_model(tmp_path_factory.mktemp("drophead"), "bert", "plain")


def heads_read(encoder, rate, *, training=True, seed=0):
    """What the layers read of their heads, (layers, texts, tokens, heads, dim of a head), without and with some left out."""
    found, backbone = [], encoder.backbone
    ids, mask = encoder.tokenise(TEXTS[:8]).batch(range(8), "cpu")
    readers = [module for name, module in backbone.named_modules() if name.endswith(BEHIND)]
    for own in (0.0, rate):
        seen = []
        with seeded(seed), encoder.evaluating(), torch.no_grad(), dropping_heads(backbone, own):
            backbone.train(training)
            hooks = [
                module.register_forward_pre_hook(lambda _, given, seen=seen: seen.append(given[0]))
                for module in readers
            ]
            with encoder.dropout(0.0):
                backbone(input_ids=ids, attention_mask=mask)
            for hook in hooks:
                hook.remove()
        found.append(torch.stack([states.unflatten(-1, (HEADS, -1)) for states in seen]))
    assert len(readers) == 2 and not any(module._forward_pre_hooks for module in readers)
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_whole_heads_of_a_text_are_left_out_and_the_others_scaled(tmp_path, family):
    encoder = load(str(tiny_model(tmp_path, family, "plain")))
    whole, dropped = heads_read(encoder, 0.4)
    share = (dropped[0] / whole[0]).transpose(1, 2).flatten(2)  # of the first layer: texts, heads, all numbers
    zero = share[..., 0] == 0
    assert 0 < zero.float().mean() < 1 and len(set(map(tuple, zero.tolist()))) > 1, "each text has its own"
    expected = torch.where(zero, 0.0, 1 / 0.6)[..., None].expand_as(share)
    torch.testing.assert_close(share, expected, atol=1e-3, rtol=1e-3)
    assert torch.equal(dropped, heads_read(encoder, 0.4)[1])
    assert not torch.equal(dropped, heads_read(encoder, 0.4, seed=1)[1])
    whole, still = heads_read(encoder, 0.4, training=False)
    assert torch.equal(whole, still), "in train mode only"


def test_as_many_as_the_rate_says():
    linear = torch.nn.Linear(64, 64)
    model = torch.nn.ModuleDict({"attention": torch.nn.ModuleDict({"out_lin": linear})})
    model.config = type("Config", (), {"num_attention_heads": 16})()
    seen = []
    with seeded(0), dropping_heads(model, 0.05):
        linear.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
        linear(torch.ones(2000, 1, 64))
    assert float((seen[0] == 0).float().mean()) == pytest.approx(0.05, abs=0.006)
    assert float(seen[0].mean()) == pytest.approx(1.0, abs=0.01)
    with pytest.raises(BadModel, match="no attention heads"), dropping_heads(linear, 0.1):
        pass
    with dropping_heads(linear, 0.0):
        pass


def test_it_tells_two_views_apart_where_dropout_is_on(folder):
    """Mirror-BERT's variant: no dropout, heads left out; a view without dropout keeps all of its heads."""
    term = Term(views={"a": view(0), "b": view(1, dropout="off")}, loss="infonce_nn")
    loop = loop_of(folder, term, drophead=0.3)
    rows = np.arange(8)
    found = loop.views.encode(rows, epoch=0, pooling="mean", rate=0.0, heads=0.3, parts=0)
    plain = torch.from_numpy(loop.encoder.encode(TEXTS[:8]))
    noisy, still = (found[key].detach() for key in sorted(found, key=lambda one: one[-1] != "on"))
    torch.testing.assert_close(still, plain, atol=1e-5, rtol=1e-4)
    assert not torch.allclose(noisy, plain, atol=1e-3)
    first, second = ([done.loss for done in loop_of(folder, contrast(), steps=4, drophead=0.3).run()] for _ in range(2))
    assert first == second != [done.loss for done in loop_of(folder, contrast(), steps=4).run()]


def test_the_gradient_in_chunks_is_that_of_the_whole(folder):
    whole, parts = (
        loop_of(folder, contrast(), drophead=0.3, dropout=0.1, **cut) for cut in ({"parts": 4}, {"memory_parts": 4})
    )
    loss, _ = step(whole)
    assert float(loss) == pytest.approx(float(step(parts)[0]), abs=1e-6)
    torch.testing.assert_close(gradients(whole), gradients(parts), atol=1e-5, rtol=1e-4)


def test_a_pretraining_has_none():
    with pytest.raises(BadSetting, match="heads"):
        settle("mlm_continue", changes={"drophead": 0.1})
