"""A model's default prompt is before each text, as sentence-transformers puts it there."""

import json

import numpy as np
import pytest

from tests.tiny import FAMILIES, PROMPT, prompted_model, tiny_model
from workbench.core.errors import BadSetting
from workbench.models.cards import card
from workbench.models.export import save
from workbench.models.layers import layer_vectors
from workbench.models.load import load, load_tokenizer
from workbench.models.prompts import Prompt
from workbench.models.token_vectors import token_vectors

TEXTS = ["A man plays the guitar.", "", "the dog runs on a red ball " * 40, "Dog!"]


def theirs(folder):
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu", local_files_only=True)


def same(found, expected):
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("included", [True, False])
@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize("family", FAMILIES)
def test_vectors_are_those_of_sentence_transformers(family, pooling, included, tmp_path):
    folder = prompted_model(tmp_path / "from", family, pooling=pooling, included=included)
    encoder = load(str(folder))
    assert encoder.prompt == Prompt("query", PROMPT, included) and encoder.pooling == pooling
    expected = theirs(folder).encode(TEXTS)
    same(encoder.encode(TEXTS), expected)
    same(encoder.on_device(TEXTS).numpy(), expected)
    same(encoder.dropout_views(TEXTS, 2, rate=0.0)[:, 1], expected)
    assert np.abs(expected - theirs(folder).encode(TEXTS, prompt="")).max() > 1e-2
    save(encoder, tmp_path / "to")
    assert load(str(tmp_path / "to")).prompt == encoder.prompt
    same(theirs(tmp_path / "to").encode(TEXTS), expected)


@pytest.mark.parametrize("included", [True, False])
def test_every_look_inside_has_it(included, tmp_path):
    folder = prompted_model(tmp_path, included=included)
    encoder = load(str(folder))
    expected = encoder.encode(TEXTS)
    same(layer_vectors(encoder, TEXTS, ["mean"])["mean"][-1], expected)
    for left_out in (None, np.array([5])):
        encoder.left_out = left_out
        found = token_vectors(encoder, TEXTS[0])
        same(found.vectors.mean(axis=0), encoder.encode(TEXTS[:1])[0])
        assert (found.tokens[:1] == ("[CLS]",)) == included and found.tokens[-1] == "[SEP]"
    shown = [token.text for token in encoder.token_view("dog")]
    assert shown[:3] == ["[CLS]", "Q", "u"] and shown[-2:] == ["dog", "[SEP]"]
    assert load_tokenizer(str(folder)).table(["dog"]).lengths.tolist() == [len(shown)]
    assert len(encoder.tokens.copy().table(["dog"]).ids) == len(shown)
    assert f"{PROMPT!r} before every text" in card(str(folder)).note


def test_no_text_is_encoded_that_the_prompt_leaves_no_room_for(tmp_path):
    encoder = load(str(prompted_model(tmp_path)))
    length = encoder.tokens.prompt_length
    assert length == len(["[CLS]", *"query:"])
    assert encoder.tokenise(["dog dog dog"], length + 2).lengths.tolist() == [length + 2]
    with pytest.raises(BadSetting, match=rf"max_length {length + 1} leaves no room .* takes {length} tokens"):
        encoder.tokenise(["dog"], length + 1)
    with pytest.raises(BadSetting, match="leaves no room"):
        encoder.token_view("dog", length)


def test_weights_alone_do_not_tell_two_prompts_apart(tmp_path):
    encoders = [load(str(prompted_model(tmp_path / text[:1], text=text))) for text in (PROMPT, "Passage: ", "")]
    assert len({encoder.fingerprint() for encoder in encoders}) == 3
    skipping = load(str(prompted_model(tmp_path / "skipping", included=False)))
    assert skipping.fingerprint() != encoders[0].fingerprint()
    assert encoders[2].prompt is None
    assert encoders[2].fingerprint() == load(str(tiny_model(tmp_path / "none", "bert", "st"))).fingerprint()


def test_a_pooling_with_a_prompt_of_its_own_has_no_other(tmp_path):
    plain, encoder = (
        load(str(folder)) for folder in (tiny_model(tmp_path / "plain", "bert", "st"), prompted_model(tmp_path))
    )
    plain.pooling = encoder.pooling = "mask_token"
    assert encoder.prompt is None
    same(encoder.encode(["dog"]), plain.encode(["dog"]))


def test_a_text_of_which_only_the_prompt_is_left_has_a_vector(tmp_path):
    import torch

    encoder = load(str(prompted_model(tmp_path, included=False)))
    ids, mask = encoder.tokenise(["dog", "a dog"]).batch([0, 1])
    states = (torch.rand(*ids.shape, 32),)
    cut = mask.clone()
    cut[0, 2:] = 0
    same(encoder.pool(states, ids, cut)[0], states[0][0, encoder.tokens.prompt_length])
    same(encoder.pool(states, ids, cut)[1], encoder.pool(states, ids, mask)[1])
    assert cut[0].sum() == 2, "the mask that attention reads is left as it is"


def test_an_export_without_a_prompt_says_nothing_of_one(tmp_path):
    save(load(str(tiny_model(tmp_path / "from"))), tmp_path / "to")
    assert json.loads((tmp_path / "to" / "config_sentence_transformers.json").read_text()) == {
        "similarity_fn_name": "cosine"
    }
