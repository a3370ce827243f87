import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.pretraining.corpus import corpus
from tests.tiny import FAMILIES, tiny_model
from workbench.core.config import Corpus, Model, Pretraining, RunConfig, Training
from workbench.core.errors import BadData, BadModel, BadRun, Diverged
from workbench.models.language_heads import language_head
from workbench.models.load import load
from workbench.pretraining.loop import MaskedLoop
from workbench.pretraining.start import start
from workbench.pretraining.tables import tables


def config(pretraining=None, **training):
    known = {"steps": 6, "batch_size": 8, "learning_rate": 1e-2, "dropout": 0.1, "warmup": 0.1}
    settings = {"sequence_length": 16, "mask_rate": 0.2, "validation": 0.1, **(pretraining or {})}
    return RunConfig(
        "mlm_continue", Model("x"), Corpus(), (), Training(**{**known, **training}), pretraining=Pretraining(**settings)
    )


def loop_of(folder, base, settings=None, precision="fp32", device="cpu", **changes):
    settings = settings or config(**changes)
    path = base / "corpus.txt"
    if not path.exists():
        corpus(base)
    begun = start(str(folder), "", settings.pretraining, [path], base, mark="m", seed=0, device=device)
    found = tables([path], begun.encoder.tokenizer, base, validation=settings.pretraining.validation)
    return MaskedLoop(begun, found, settings, precision=precision)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_model(tmp_path_factory.mktemp("models") / "bert")


@pytest.mark.parametrize("family", FAMILIES)
def test_the_loss_of_a_batch_is_that_of_transformers(tmp_path, family):
    """The loss of each family's class, with labels at the chosen tokens; its head alone gives the same logits."""
    loop = loop_of(tiny_model(tmp_path / family, family), tmp_path, dropout=0.0)
    loop.model.eval()
    batch = loop._masked(loop.tables.train, np.arange(8) * 14, 0)
    with torch.no_grad():
        theirs = loop.model(input_ids=batch.seen, labels=batch.ids.masked_fill(~batch.chosen, -100))
        states = loop.model.base_model(input_ids=batch.seen).last_hidden_state
        assert torch.equal(language_head(loop.model)(states), theirs.logits)
        with loop._ready(training=False) as ready:
            ours, right = loop._judged(ready, batch, slice(None), None)
    assert float(ours) / int(batch.chosen.sum()) == pytest.approx(float(theirs.loss), rel=1e-5)
    named = theirs.logits.argmax(-1)[batch.chosen] == batch.ids[batch.chosen]
    assert right == int(named.sum())


def test_sequences_are_packed_and_masked_as_configured(folder, tmp_path):
    loop = loop_of(folder, tmp_path, pretraining={"mask_rate": 0.3})
    tokenizer = loop.encoder.tokenizer
    starts = np.arange(200) * 14
    batch = loop._masked(loop.tables.train, starts, "x")
    assert batch.ids.shape == (200, 16)
    assert (batch.ids[:, 0] == tokenizer.cls_token_id).all() and (batch.ids[:, -1] == tokenizer.sep_token_id).all()
    body = np.concatenate([loop.tables.train[place : place + 14] for place in starts])
    assert batch.ids[:, 1:-1].reshape(-1).tolist() == body.tolist()
    assert not batch.chosen[batch.ids == tokenizer.sep_token_id].any() and not batch.chosen[:, 0].any()
    assert float(batch.chosen[:, 1:-1].float().mean()) == pytest.approx(0.3, abs=0.03)
    assert torch.equal(batch.seen[~batch.chosen], batch.ids[~batch.chosen])
    covered = (batch.seen == tokenizer.mask_token_id)[batch.chosen].float().mean()
    assert float(covered) == pytest.approx(0.8, abs=0.05)


def test_whole_words_are_predicted_with_all_their_pieces(tmp_path):
    from tests.tiny import tiny_tokenizer

    folder = tiny_model(tmp_path / "bert")
    text = " ".join(["abc", "the", "defg", "man"] * 300)
    (tmp_path / "corpus.txt").write_text(f"{text}\n\n{text}\n\n{text}\n")
    loop = loop_of(folder, tmp_path, pretraining={"whole_words": True, "mask_rate": 0.4})
    batch = loop._masked(loop.tables.train, np.arange(60) * 14, "x")
    pieces = tiny_tokenizer("bert").convert_ids_to_tokens(list(range(len(loop.encoder.tokenizer))))
    goes_on = torch.tensor([piece.startswith("##") for piece in pieces])[batch.ids]
    inside = goes_on[:, 2:-1]
    assert inside.any()
    assert torch.equal(batch.chosen[:, 2:-1][inside], batch.chosen[:, 1:-2][inside])
    assert float(batch.chosen[:, 1:-1].float().mean()) == pytest.approx(0.4, abs=0.08)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_it_resumes_bit_for_bit(folder, tmp_path, precision):
    whole = loop_of(folder, tmp_path, precision=precision)
    losses = [step.loss for step in whole.run()]
    first = loop_of(folder, tmp_path, precision=precision)
    steps = first.run()
    begun = [next(steps).loss for _ in range(3)]
    kept = {name: tensor.clone() for name, tensor in first.weights().items()}
    moments = {name: tensor.clone() for name, tensor in first.moments().items()}
    numbers = json.loads(json.dumps(first.numbers()))
    second = loop_of(folder, tmp_path, precision=precision)
    second.validate()
    second.restore(kept, moments, numbers)
    assert begun + [step.loss for step in second.run()] == losses
    assert all(torch.equal(tensor, whole.weights()[name]) for name, tensor in second.weights().items())


def test_pieces_and_threads_change_nothing_but_the_order_of_sums(folder, tmp_path):
    one = loop_of(folder, tmp_path, dropout=0.0, parts=1)
    many = loop_of(folder, tmp_path, dropout=0.0, parts=5)
    found = [[step.loss for step in loop.run()] for loop in (one, many)]
    assert found[0] == pytest.approx(found[1], rel=1e-4)


@pytest.mark.parametrize("family", ["bert", "roberta", "mpnet"])
def test_what_follows_by_rule_is_learnt(tmp_path, family):
    loop = loop_of(tiny_model(tmp_path / family, family), tmp_path, steps=60, batch_size=16)
    before = loop.validate()
    steps = list(loop.run())
    after = loop.validate()
    assert after["loss"] < 0.8 * before["loss"] and after["accuracy"] > before["accuracy"] + 0.1
    assert after == loop.validate() and after["tokens"] > 50
    assert steps[-1].samples == 60 * 16 and steps[-1].losses == {"mlm": steps[-1].loss}
    assert steps[0].learning_rate < steps[5].learning_rate > steps[-1].learning_rate


def test_the_encoder_shares_the_backbone_and_the_saved_model_is_whole(folder, tmp_path):
    from transformers import AutoModelForMaskedLM

    from workbench.models.load import load

    loop = loop_of(folder, tmp_path)
    before = loop.encoder.encode(["the man plays the guitar"])
    list(loop.run())
    after = loop.encoder.encode(["the man plays the guitar"])
    assert np.abs(before - after).max() > 1e-3
    loop.save(tmp_path / "saved")
    assert np.abs(load(str(tmp_path / "saved")).encode(["the man plays the guitar"]) - after).max() < 1e-5
    again, report = AutoModelForMaskedLM.from_pretrained(tmp_path / "saved", output_loading_info=True)
    assert not report["missing_keys"]
    own = loop.model.state_dict()
    assert all(torch.equal(tensor, own[name]) for name, tensor in again.state_dict().items())


def test_a_cut_vocabulary_keeps_the_rows_of_its_pieces(folder, tmp_path):
    plain = loop_of(folder, tmp_path)
    changed = loop_of(folder, tmp_path, pretraining={"vocabulary": "cut", "vocabulary_size": 300})
    before, after = plain.encoder.tokenizer, changed.encoder.tokenizer
    assert len(after) < len(before)
    old, new = plain.model.get_input_embeddings().weight, changed.model.get_input_embeddings().weight
    for piece, number in after.get_vocab().items():
        assert torch.equal(new[number], old[before.get_vocab()[piece]])
    assert changed.model.get_output_embeddings().weight is new and changed.model.config.vocab_size == len(after)
    assert changed.model.config.pad_token_id == after.pad_token_id
    assert [step.step for step in changed.run()] == [1, 2, 3, 4, 5, 6]


def test_a_learnt_vocabulary_starts_from_the_pieces_it_is_made_of(folder, tmp_path):
    plain = loop_of(folder, tmp_path)
    settings = replace(config().pretraining, vocabulary="learn", vocabulary_size=50)
    found = start(str(folder), "", settings, [tmp_path / "corpus.txt"], tmp_path, mark="m", seed=0)
    own = plain.encoder.tokenizer.get_vocab()
    table = found.model.get_input_embeddings().weight
    old = plain.model.get_input_embeddings().weight
    for piece, number in found.encoder.tokenizer.get_vocab().items():
        if piece in own:
            assert torch.equal(table[number], old[own[piece]])
    assert found.about["averaged"] > 0


def test_no_special_id_is_beyond_a_new_vocabulary(tmp_path):
    """ModernBERT's configuration names [CLS] and [SEP] too, and what begins a text, of which its tokenizer knows nothing."""
    folder = tiny_model(tmp_path / "modernbert", "modernbert")
    stated = json.loads((folder / "config.json").read_text())
    far = {"bos_token_id": 50281, "cls_token_id": 50281, "eos_token_id": 50282, "sep_token_id": 50282}
    (folder / "config.json").write_text(json.dumps(stated | far))
    loop = loop_of(folder, tmp_path, pretraining={"vocabulary": "learn", "vocabulary_size": 300})
    config, tokenizer = loop.model.config, loop.encoder.tokenizer
    assert (config.cls_token_id, config.sep_token_id) == (tokenizer.cls_token_id, tokenizer.sep_token_id)
    assert (config.bos_token_id, config.eos_token_id) == (None, None) and config.vocab_size == len(tokenizer)


def test_fresh_weights_follow_from_the_seed_and_not_from_the_backbone(folder, tmp_path):
    first = loop_of(folder, tmp_path, pretraining={"start": "fresh", "layers": 1})
    again = loop_of(folder, tmp_path, pretraining={"start": "fresh", "layers": 1})
    given = loop_of(folder, tmp_path)
    names = first.weights().keys()
    assert names < given.weights().keys()
    assert all(torch.equal(first.weights()[name], again.weights()[name]) for name in names)
    table = "backbone.embeddings.word_embeddings.weight"
    assert not torch.equal(first.weights()[table], given.weights()[table])
    cut = loop_of(folder, tmp_path, pretraining={"start": "fresh", "vocabulary": "cut", "vocabulary_size": 300})
    drawn = cut.weights()[table]
    assert len(drawn) == len(cut.encoder.tokenizer) < len(given.weights()[table])
    assert float(drawn.std()) == pytest.approx(cut.model.config.initializer_range, rel=0.1)


def test_bad_input_is_named(folder, tmp_path):
    with pytest.raises(BadData, match="The corpus is too small"):
        loop_of(folder, tmp_path, batch_size=4096)
    with pytest.raises(BadModel, match="The backbone has 2 layers"):
        loop_of(folder, tmp_path, pretraining={"layers": 3})
    loop = loop_of(folder, tmp_path, learning_rate=1.0)
    with torch.no_grad():
        loop.model.get_input_embeddings().weight[5:] = float("inf")
    with pytest.raises(Diverged, match="at step 1"):
        next(loop.run())
    good = loop_of(folder, tmp_path)
    weights = {name: tensor for name, tensor in good.weights().items() if "layer.1." not in name}
    with pytest.raises(BadRun, match="does not fit the model"):
        good.restore(weights, {}, good.numbers())


@pytest.mark.parametrize("origin", ["weights", "fresh"])
def test_fewer_layers_are_the_first_ones_and_load_again(tmp_path, origin):
    """ModernBERT says of each layer how far it sees."""
    loop = loop_of(
        tiny_model(tmp_path / "modernbert", "modernbert"), tmp_path, pretraining={"start": origin, "layers": 1}
    )
    loop.encoder.backbone.save_pretrained(tmp_path / "less")
    loop.encoder.tokenizer.save_pretrained(tmp_path / "less")
    again = load(str(tmp_path / "less"))
    assert again.backbone.config.layer_types == ["full_attention"]
    (attention,) = (module for name, module in loop.encoder.backbone.named_modules() if name.endswith(".attn"))
    with loop.encoder.dropout(0.2):
        assert attention.out_drop.p == attention.attention_dropout == 0.2
    np.testing.assert_array_equal(again.encode(["the dog runs"]), loop.encoder.encode(["the dog runs"]))


def test_a_tokenizer_of_another_model_is_named(folder, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    settings = json.loads((other / "tokenizer.json").read_text())
    words = settings["model"]["vocab"]
    words |= {f"word{number}": len(words) + number for number in range(20)}
    (other / "tokenizer.json").write_text(json.dumps(settings))
    with pytest.raises(BadModel, match="The two do not match"):
        loop_of(other, tmp_path)


def rewritten(folder, place, name, change):
    """A copy of a model folder with one of its JSON files changed."""
    shutil.copytree(folder, place)
    told = json.loads((place / name).read_text())
    change(told)
    (place / name).write_text(json.dumps(told))
    return place


@pytest.mark.parametrize("whole_words", [False, True])
def test_a_tokenizer_with_a_gap_is_named(folder, tmp_path, whole_words):
    def leave_out(told):
        words = told["model"]["vocab"]
        del words[next(word for word, number in words.items() if number == len(words) - 3)]

    other = rewritten(folder, tmp_path / "other", "tokenizer.json", leave_out)
    with pytest.raises(BadModel, match=r"leaves out ids.*Learn a vocabulary"):
        loop_of(other, tmp_path, pretraining={"whole_words": whole_words})


def test_an_id_beyond_the_model_is_named(folder, tmp_path):
    from workbench.models.load import load

    def renumber(told):
        words = told["model"]["vocab"]
        last = max(words, key=words.__getitem__)
        words[last] += 50

    other = rewritten(folder, tmp_path / "other", "tokenizer.json", renumber)
    for opening in (lambda: loop_of(other, tmp_path), lambda: load(str(other))):
        with pytest.raises(BadModel, match="The two do not match"):
            opening()


def test_a_tokenizer_without_start_and_end_tokens_is_named(folder, tmp_path):
    def forget(told):
        told |= {"cls_token": None, "sep_token": None}

    other = rewritten(folder, tmp_path / "other", "tokenizer_config.json", forget)
    with pytest.raises(BadModel, match="has no token that begins a text"):
        loop_of(other, tmp_path)


def test_each_pass_has_a_batch_wherever_it_begins(folder, tmp_path):
    loop = loop_of(folder, tmp_path)
    tokens = len(loop.tables.train)
    batch = next(size for size in range(tokens, 1, -1) if (size + 1) * loop.room - 1 <= tokens)
    whole = loop_of(folder, tmp_path, batch_size=batch)
    assert whole.steps_per_epoch == 1
    passes = [epoch for _, (epoch, _) in zip(range(5), whole._starts(), strict=False)]
    assert passes == [0, 1, 2, 3, 4]
    with pytest.raises(BadData, match="too small"):
        loop_of(folder, tmp_path, batch_size=batch + 1)


def test_an_interrupted_run_stops_between_steps(folder, tmp_path):
    loop = loop_of(folder, tmp_path)
    loop.cancelled = lambda: loop.step >= 2
    assert [step.step for step in loop.run()] == [1, 2]
