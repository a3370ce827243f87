import math

import numpy as np
import pytest
import torch

from tests.objectives.trial import contrast, gradients, loop_of, masked_model, step, view
from tests.trial import TEXTS
from workbench.core.config import Term
from workbench.core.errors import BadData, BadModel
from workbench.models.encoder import PROMPT
from workbench.objectives.prompt_pair import SECOND


@pytest.fixture(scope="module", params=["bert", "roberta", "distilbert"])
def masked(request, tmp_path_factory):
    return masked_model(tmp_path_factory.mktemp("prompts") / request.param, request.param)


def term(**settings):
    return Term(views={"a": view(0), "b": view(0, copy=1)}, objective="prompt_pair", settings=settings)


def at_mask(encoder, ids, positions=None):
    """The last state at the mask token of one row of ids, with the given position ids, counted from 0."""
    row = torch.tensor(np.asarray(ids, dtype=np.int64))[None]
    first = 0
    if encoder.backbone.config.model_type == "roberta":
        first = encoder.backbone.config.pad_token_id + 1
    said = {}
    if encoder.backbone.config.model_type != "distilbert":
        places = torch.arange(row.shape[1]) if positions is None else torch.tensor(positions)
        said["position_ids"] = places[None] + first
    with torch.no_grad():
        states = encoder.backbone.eval()(input_ids=row, **said).last_hidden_state[0]
    return states[row[0] == encoder.tokenizer.mask_token_id][-1]


def by_hand(encoder, texts, *, denoise):
    sides = []
    for prompt in (PROMPT, SECOND):
        before, after = encoder.prompt_ids(prompt)
        side = []
        for text in texts:
            own = encoder.tokens.table([text], 16 - 2, specials=False).ids
            found = at_mask(encoder, [*before, *own, *after])
            if denoise:
                places = [*range(len(before)), *(len(before) + len(own) + place for place in range(len(after)))]
                found = found - at_mask(encoder, [*before, *after], places)
            side.append(found)
        sides.append(torch.nn.functional.normalize(torch.stack(side), dim=1))
    logits = (sides[0] @ sides[1].T / 0.2).double()
    return float((logits.logsumexp(dim=1) - logits.diagonal()).mean())


@pytest.mark.parametrize("denoise", [True, False])
def test_matches_a_separate_computation(masked, denoise):
    """The template alone, at the positions that it has around each text, is subtracted."""
    loop = loop_of(masked, term(projected=False, denoise=denoise, temperature=0.2), max_length=16)
    if denoise and loop.encoder.backbone.config.model_type == "distilbert":
        pytest.skip("it takes no positions")
    loss, losses = step(loop)
    assert float(loss) == pytest.approx(by_hand(loop.encoder, TEXTS[:8], denoise=denoise), rel=2e-4)
    assert 0 <= float(losses["0.prompt_pair.accuracy"]) <= 1


def test_the_subtracted_template_does_not_depend_on_the_words_of_the_text(masked):
    """Texts of the same length have the same template, whatever their words; a text of another length has another."""
    loop = loop_of(masked, term())
    module = loop.objectives[0]
    batch = loop._batch(0, loop.config.terms[0], np.arange(8), 0)
    found = {}
    for texts in (["dog", "cat", "dog cat"], ["man", "the", "red ball"]):
        ids, mask = batch.prompted(texts, PROMPT)
        with torch.no_grad():
            found[texts[0]] = module.template(ids, mask, 0, batch)
    rows = found["dog"]
    lengths = [len(loop.encoder.tokens.table([text], specials=False).ids) for text in ("dog", "cat", "man")]
    if len(set(lengths)) == 1:
        assert torch.allclose(rows[0], rows[1]) and torch.allclose(rows[0], found["man"][0], atol=1e-6)
    assert not torch.allclose(rows[0], rows[2], atol=1e-4)


def test_it_learns_and_its_layer_is_discarded(masked):
    loop = loop_of(masked, term(), steps=20)
    assert [type(part) for part in loop.objectives[0].layer] == [torch.nn.Linear, torch.nn.Tanh]
    step(loop)
    assert gradients(loop).abs().max() > 0 and gradients(loop, "objectives.").abs().max() > 0
    seen = [done.loss for done in loop.run()]
    assert np.mean(seen[-5:]) < np.mean(seen[:5]) and not math.isnan(seen[-1])


def test_unsuitable_batches_and_backbones_are_refused(masked, folder):
    loop = loop_of(masked, term())
    with pytest.raises(BadData, match="prompt_pair"):
        step(loop, range(1))
    plain = loop_of(folder, contrast())
    plain.encoder.tokenizer.mask_token = None
    from workbench.objectives.prompt_pair import prompt_pair

    with pytest.raises(BadModel, match="no mask token"):
        prompt_pair(plain.encoder)
