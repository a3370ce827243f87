import math

import numpy as np
import pytest
import torch
import transformers

from tests.objectives.trial import contrast, gradients, loop_of, masked_model, step, view
from tests.tiny import tiny_model, tiny_tokenizer
from tests.trial import TEXTS
from workbench.core.config import Term
from workbench.core.errors import BadModel, MissingResource
from workbench.core.seeds import torch_generator
from workbench.models.alterations import Alteration, altering
from workbench.models.masking import corrupted
from workbench.objectives import rtd as rtd_module
from workbench.objectives._language_models import specials
from workbench.training import dryrun


@pytest.fixture(scope="module")
def generator(tmp_path_factory):
    return masked_model(tmp_path_factory.mktemp("generator"), "distilbert")


def term(generator, weight=1.0, **settings):
    views = {"a": view(0), "b": view(1)}
    return Term(views=views, objective="rtd", weight=weight, settings={"generator": str(generator), **settings})


def parts(loop, rows=8):
    batch = loop._batch(0, loop.config.terms[0], np.arange(rows), 0)
    loop.forward(np.arange(rows), 0)
    return batch, *batch.tokenised([*TEXTS[:rows], *TEXTS[:rows]])


@pytest.mark.parametrize("first", [True, False])
def test_matches_a_separate_computation(folder, generator, first):
    columns, views = {"text": TEXTS, "positive": TEXTS[::-1]}, {"a": view(), "b": view(role="positive")}
    settings = {"generator": str(generator), "first": first, "rate": 0.6}
    loop = loop_of(folder, Term(views=views, objective="rtd", settings=settings), columns=columns)
    loop.objectives[0].discriminator.config.hidden_dropout_prob = 0.0
    for module in loop.objectives[0].modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    loss, losses = step(loop)
    batch = loop._batch(0, loop.config.terms[0], np.arange(8), 0)
    texts = [*TEXTS[:8], *TEXTS[:-9:-1]]  # of several lengths
    ids, mask = batch.tokenised(texts)
    module = loop.objectives[0]
    found, changed = module.replaced(ids, mask, batch)
    vectors = torch.from_numpy(loop.encoder.encode(texts))
    corrupt = {"rate": 0.6, "mask_id": 4, "vocabulary": len(loop.encoder.tokenizer)}
    fixed = specials(ids, mask, loop.encoder.tokenizer)
    masked, _ = corrupted(ids, fixed, **corrupt, generator=torch_generator(0, 0, "objective", 0))
    total = []
    with torch.no_grad():
        model = transformers.AutoModelForMaskedLM.from_pretrained(generator).eval()
        filled = model(input_ids=masked, attention_mask=mask).logits.argmax(dim=2)
        assert torch.equal(found[:, 1:][mask[:, 1:] == 1], filled[:, 1:][mask[:, 1:] == 1])
        for row in range(16):
            count = int(mask[row].sum())
            words = found[row : row + 1, :count]
            put = lambda states, own, row=row: (torch.cat([vectors[row][None, None], states[:, 1:]], dim=1), own)  # noqa: E731
            with altering(module.discriminator, Alteration(states=put), words, torch.ones_like(words)):
                states = module.discriminator(input_ids=words).last_hidden_state
            for place in range(0 if first else 1, count):
                p = 1 / (1 + math.exp(-float(module.judge(states[0, place]))))
                total.append(-math.log(p if changed[row, place] else 1 - p))
    assert float(loss) == pytest.approx(np.mean(total), rel=1e-4)
    assert 0 < float(losses["0.rtd.replaced"]) < 1


def test_before_mlp_takes_the_pooled_vector(folder, generator):
    seen = {}
    for before in (False, True):
        loop = loop_of(folder, term(generator, before_mlp=before), head="bn_projection")
        put = loop.objectives[0].logits
        loop.objectives[0].logits = lambda vectors, *rest, put=put, before=before: (
            seen.setdefault(before, vectors),
            put(vectors, *rest),
        )[1]
        step(loop)
        assert (gradients(loop, "head.").abs().max() > 0) != before
        assert gradients(loop).abs().max() > 0
    pooled = torch.from_numpy(loop.encoder.encode(TEXTS[:8])).repeat(2, 1)
    torch.testing.assert_close(seen[True].detach(), pooled, atol=1e-5, rtol=1e-4)
    assert not torch.allclose(seen[False].detach(), pooled, atol=0.1)


def test_a_generator_that_restores_everything_leaves_nothing_to_find(folder, generator):
    loop = loop_of(folder, term(generator))
    batch, ids, mask = parts(loop)

    restored = torch.nn.functional.one_hot(ids[mask.bool()], 100).float()
    objective = loop.objectives[0]
    objective.generator = objective.generator[0], lambda states: restored[None]
    found, changed = loop.objectives[0].replaced(ids, mask, batch)
    assert torch.equal(found, ids) and not changed.any()


def test_the_first_token_stays_and_the_generator_fills_in_all_others(folder, generator):
    loop = loop_of(folder, term(generator))
    batch, ids, mask = parts(loop)
    found, changed = loop.objectives[0].replaced(ids, mask, batch)
    assert torch.equal(found[:, 0], ids[:, 0]) and not changed[:, 0].any()
    sampled = loop_of(folder, term(generator, sample=True))
    batch, ids, mask = parts(sampled)
    assert not torch.equal(found, sampled.objectives[0].replaced(ids, mask, batch)[0])


def test_a_sample_is_drawn_by_the_softmax(folder, generator):
    loop = loop_of(folder, term(generator, sample=True))
    batch, ids, mask = parts(loop)
    logits = torch.full((len(loop.encoder.tokenizer),), -torch.inf)
    logits[10:13] = torch.tensor([0.1, 0.2, 0.7]).log()
    objective = loop.objectives[0]
    objective.generator = objective.generator[0], lambda states: logits.expand(1, states.shape[1], -1)
    mask = mask.repeat(100, 1)
    found = objective.replaced(ids.repeat(100, 1), mask, batch)[0][:, 1:][mask[:, 1:] == 1]
    assert (torch.bincount(found)[10:] / len(found)).tolist() == pytest.approx([0.1, 0.2, 0.7], abs=0.02)


def test_gradient_reaches_the_vector_and_never_the_generator(folder, generator):
    loop = loop_of(folder, term(generator))
    step(loop)
    assert gradients(loop).abs().max() > 0
    assert gradients(loop, "objectives.0.discriminator").abs().max() > 0
    assert all(p.grad is None and not p.requires_grad for p in loop.objectives[0].generator[0].parameters())
    assert not any("generator" in name for name in loop.weights())


def test_padding_changes_nothing(folder, generator):
    loop = loop_of(folder, term(generator)).objectives[0].eval(), loop_of(folder, term(generator))
    module, loop = loop
    batch, ids, mask = parts(loop, 3)
    vectors = torch.randn(6, 32)
    longer = torch.cat([ids, torch.randint(5, 60, (6, 4))], dim=1)
    more = torch.cat([mask, torch.zeros(6, 4, dtype=torch.long)], dim=1)
    a = module.logits(vectors, ids, mask, batch)
    b = module.logits(vectors, longer, more, batch)[:, : ids.shape[1]]
    torch.testing.assert_close(a[mask.bool()], b[mask.bool()], atol=1e-5, rtol=1e-4)


def test_the_loss_falls(folder, generator):
    loop = loop_of(folder, contrast(), term(generator), steps=30)
    seen = [done.losses["1.rtd"] for done in loop.run()]
    assert np.mean(seen[-5:]) < np.mean(seen[:5])


def test_other_tokens_are_refused_with_those_that_fit(folder, generator, tmp_path, monkeypatch):
    import workbench.objectives._language_models as models

    other = masked_model(tmp_path / "roberta", "roberta")
    with pytest.raises(BadModel, match=r"tokenise texts differently.*None of .*distilbert"):
        loop_of(folder, term(other))
    monkeypatch.setattr(models, "_known", lambda: ["a/b"])
    monkeypatch.setattr(models, "_fits", lambda encoder, name: True)
    with pytest.raises(BadModel, match=r"These fit: a/b\."):
        loop_of(folder, term(other))
    with pytest.raises(BadModel, match="embeddings of 16"):
        electra = tiny_model(tmp_path / "electra", "electra", "plain")
        loop_of(electra, term(generator))


def test_a_missing_generator_is_named(folder):
    with pytest.raises((MissingResource, BadModel), match="nowhere"):
        loop_of(folder, term("nowhere/nothing"))


def test_without_a_name_the_generator_is_the_untrained_backbone(mini_mlm):
    """It stays unchanged while the backbone learns."""
    loop = loop_of("mini-mlm", contrast(), term(""), steps=3)
    frozen = loop.objectives[1].generator[0]
    before = frozen.base_model.embeddings.word_embeddings.weight.clone()
    assert torch.equal(before, loop.encoder.backbone.embeddings.word_embeddings.weight)
    assert [np.isfinite(done.loss) for done in loop.run()] == [True] * 3
    assert torch.equal(before, frozen.base_model.embeddings.word_embeddings.weight)
    assert not torch.equal(before, loop.encoder.backbone.embeddings.word_embeddings.weight)


def test_a_backbone_without_a_head_needs_a_generator_with_its_tokens(folder, generator, mini_mlm):
    with pytest.raises(BadModel, match=r"minilm-l3 has no masked-language head, which rtd needs.*mini-mlm") as caught:
        loop_of("minilm-l3", term(""))
    assert "`generator` a model with the tokens of minilm-l3 (none here)" in str(caught.value)
    with pytest.raises(BadModel, match=r"tokens of .*\(mini-mlm\)"):
        loop_of(folder, term(""))
    loop_of(folder, term("mini-mlm"))


def test_the_generator_of_a_revision_is_of_that_revision(folder, generator):
    """The folder of a backbone comes from the encoder and not from its name, which does not include the revision."""
    loop = loop_of(str(generator), term(""))
    loop.encoder.name = "nowhere/nothing"
    from workbench.objectives._language_models import masked_model

    assert masked_model(loop.encoder, "", "rtd", "generator").config.vocab_size == len(loop.encoder.tokenizer)
    loop.encoder.origin = None
    with pytest.raises(BadModel, match="no masked-language head"):
        masked_model(loop.encoder, "", "rtd", "generator")


@pytest.mark.parametrize("sample", [False, True])
def test_the_generator_reads_in_as_many_chunks_as_the_run_has(folder, generator, sample):
    found, seen = [], []
    for chunks in (0, 4):
        loop = loop_of(folder, term(generator, sample=sample), memory_parts=chunks)
        batch, ids, mask = parts(loop)
        body, head = loop.objectives[0].generator
        loop.objectives[0].generator = body, lambda states, head=head: seen.append(states.shape[1]) or head(states)
        found.append(loop.objectives[0].replaced(ids, mask, batch)[0])
    lengths = mask.sum(dim=1)
    assert seen == [int(lengths.sum()), *(int(part.sum()) for part in lengths.tensor_split(4))]
    assert torch.equal(*found)


def test_the_dry_run_counts_the_generator(folder, generator, monkeypatch, threads):
    """Its logits are as wide as the vocabulary and not kept for a gradient; here they are a thousand times as wide."""
    plain = rtd_module.language_head

    def wide(model):
        head = plain(model)
        return lambda states: head(states).repeat(1, 1, 1000)

    def needed():
        loops = [loop_of(folder, term(generator), memory_parts=chunks) for chunks in (0, 8)]
        return np.array([dryrun.estimate(loop).needed_bytes for loop in loops])

    before = needed()
    monkeypatch.setattr(rtd_module, "language_head", wide)
    whole, chunk = needed() - before
    tokens = sum(sorted(map(int, loop_of(folder, contrast()).texts.lengths(np.arange(len(TEXTS)))[0]))[-8:])
    logits = 4 * 2 * tokens * 1000 * len(tiny_tokenizer("bert"))
    assert logits < 1.2 * whole < 2 * logits and logits / 8 < 1.2 * chunk < 2 * logits / 8
