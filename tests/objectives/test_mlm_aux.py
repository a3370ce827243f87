import numpy as np
import pytest
import torch

from tests.objectives.trial import contrast, gradients, loop_of, masked_model, step, view
from tests.trial import TEXTS
from workbench.core.config import Term
from workbench.core.errors import BadModel
from workbench.core.seeds import torch_generator
from workbench.models.masking import corrupted
from workbench.objectives._language_models import masked_head, specials


@pytest.fixture(scope="module")
def masked(tmp_path_factory):
    return masked_model(tmp_path_factory.mktemp("masked"))


def term(weight=1.0, **settings):
    return Term(views={"a": view(0), "b": view(1)}, objective="mlm_aux", weight=weight, settings=settings)


def test_eight_in_ten_chosen_tokens_are_masked_and_specials_never(masked):
    encoder = loop_of(masked, contrast()).encoder
    ids, mask = encoder.tokenise(TEXTS * 30).batch(range(72 * 30))
    fixed = specials(ids, mask, encoder.tokenizer)
    assert fixed[:, 0].all() and fixed[mask == 0].all() and (~fixed).float().mean() > 0.5
    found, chosen = corrupted(
        ids, fixed, rate=0.15, mask_id=4, vocabulary=60, generator=torch.Generator().manual_seed(0)
    )
    assert not (chosen & fixed).any()
    assert torch.equal(found[~chosen], ids[~chosen])
    assert float(chosen[~fixed].float().mean()) == pytest.approx(0.15, abs=0.01)
    share = [(found == 4)[chosen].float().mean(), (found == ids)[chosen].float().mean()]
    assert [float(value) for value in share] == pytest.approx([0.8, 0.1], abs=0.03)


def test_matches_the_whole_pretrained_model(masked):
    """The logits equal, bit for bit, those of the model that the head came from, at the chosen tokens only."""
    import transformers

    columns, views = {"text": TEXTS, "positive": TEXTS[::-1]}, {"a": view(), "b": view(role="positive")}
    loop = loop_of(masked, Term(views=views, objective="mlm_aux", settings={"rate": 0.4}), columns=columns)
    loss, _ = step(loop)
    model = transformers.AutoModelForMaskedLM.from_pretrained(masked).eval()
    ids, mask = loop.encoder.tokenise([*TEXTS[:8], *TEXTS[:-9:-1]]).batch(range(16))
    generator = torch_generator(0, 0, "objective", 0)
    fixed = specials(ids, mask, loop.encoder.tokenizer)
    size = len(loop.encoder.tokenizer)
    found, chosen = corrupted(ids, fixed, rate=0.4, mask_id=4, vocabulary=size, generator=generator)
    with torch.no_grad():
        logits = model(input_ids=found, attention_mask=mask).logits.double()
    total = [
        float(logits[row, place].logsumexp(0) - logits[row, place, ids[row, place]])
        for row, place in chosen.nonzero().tolist()
    ]
    assert float(loss) == pytest.approx(np.mean(total), rel=1e-5)


def test_weight_0_is_the_contrast_alone_bit_for_bit(masked):
    alone, both = loop_of(masked, contrast()), loop_of(masked, contrast(), term(weight=0.0))
    assert step(alone)[0] == step(both)[0]
    torch.testing.assert_close(gradients(alone), gradients(both))


def test_a_batch_without_chosen_tokens_gives_0(masked, monkeypatch):
    import workbench.objectives.mlm_aux as module

    loop = loop_of(masked, term())
    monkeypatch.setattr(module, "corrupted", lambda ids, fixed, **_: (ids, torch.zeros_like(fixed)))
    loss, _ = step(loop)
    assert float(loss) == 0


def test_both_learn_and_the_loss_falls(masked):
    loop = loop_of(masked, term(rate=0.3), steps=30)
    step(loop)
    assert gradients(loop).abs().max() > 0 and gradients(loop, "objectives.").abs().max() > 0
    seen = [done.loss for done in loop.run()]
    assert np.mean(seen[-5:]) < np.mean(seen[:5])


@pytest.mark.parametrize("family", ["roberta", "distilbert"])
def test_heads_of_other_families(tmp_path, family):
    import transformers

    folder = masked_model(tmp_path, family)
    encoder = loop_of(folder, contrast()).encoder
    head = masked_head(encoder, "", "mlm_aux")
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    ids, mask = encoder.tokenise(TEXTS[:3]).batch(range(3))
    with torch.no_grad():
        expected = model(input_ids=ids, attention_mask=mask).logits
        torch.testing.assert_close(head(encoder.forward(ids, mask)[-1]), expected)


def test_a_backbone_without_a_masked_language_head_is_refused_by_name(folder, masked):
    with pytest.raises(BadModel, match="no masked-language head"):
        loop_of(folder, term())
    with pytest.raises(BadModel, match="no masked-language head, which mlm_aux needs"):
        loop_of("minilm-l3", term())
    loop_of(folder, term(head=str(masked)))


def test_the_embedded_backbone_has_a_head_that_others_can_use(folder, mini_mlm):
    own, lent = loop_of("mini-mlm", term()), loop_of(folder, term(head="mini-mlm"))
    one, other = (loop.objectives[0].head.state_dict() for loop in (own, lent))
    assert one.keys() == other.keys() and all(torch.equal(one[key], other[key]) for key in one)
    assert all(tensor.dtype == torch.float32 for tensor in one.values() if tensor.is_floating_point())
