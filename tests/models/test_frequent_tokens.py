from collections import Counter

import numpy as np
import pytest

from tests.tiny import tiny_model
from workbench.models.frequent_tokens import frequent_ids, left_mask, left_whole
from workbench.models.load import load

TEXTS = ["the dog runs", "the cat eats", "a man plays the guitar", "the", "red blue red blue the"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return load(str(tiny_model(tmp_path_factory.mktemp("frequent") / "bert")))


def test_ranked_by_count_then_id(encoder):
    table = encoder.tokenise(TEXTS)
    counts = Counter(table.ids.tolist())
    by_hand = sorted(counts, key=lambda token: (-counts[token], token))
    assert frequent_ids(table, 4).tolist() == by_hand[:4]
    special = {encoder.tokenizer.cls_token_id, encoder.tokenizer.sep_token_id}
    assert special | {encoder.tokenizer.convert_tokens_to_ids("the")} == set(by_hand[:3])
    assert len(frequent_ids(table, 10_000)) == len(counts)


def test_with_none_left_out_it_is_plain_pooling(encoder):
    plain = encoder.encode(TEXTS)
    encoder.left_out = frequent_ids(encoder.tokenise(TEXTS), 0)
    try:
        assert (encoder.encode(TEXTS) == plain).all()
    finally:
        encoder.left_out = None


@pytest.mark.parametrize("pooling", ["mean", "last2", "first_last", "static", "static_last"])
def test_pooling_leaves_out_what_is_still_attended_to(encoder, pooling):
    """The reference: states of the whole sentence, averaged over the tokens that remain."""
    import torch

    table = encoder.tokenise(TEXTS)
    left_out = frequent_ids(table, 3)
    plain, before = encoder.encode(TEXTS), encoder.fingerprint()
    encoder.left_out, encoder.pooling = left_out, pooling
    try:
        found = encoder.encode(TEXTS)
        assert encoder.fingerprint() != before
    finally:
        encoder.left_out, encoder.pooling = None, "mean"
    rows = torch.stack([encoder.backbone.get_input_embeddings().weight.detach()]).squeeze(0)
    for text, vector in zip(TEXTS, found, strict=True):
        ids, mask = encoder.tokenise([text]).batch([0])
        with torch.inference_mode():
            hidden = encoder.forward(ids, mask)
        token_rows = {
            "mean": hidden[-1][0],
            "last2": (hidden[-1][0] + hidden[-2][0]) / 2,
            "first_last": (hidden[1][0] + hidden[-1][0]) / 2,
            "static": rows[ids[0]],
            "static_last": (hidden[0][0] + hidden[-1][0]) / 2,
        }[pooling]
        kept = [place for place, token in enumerate(ids[0].tolist()) if token not in left_out]
        kept = kept or list(range(ids.shape[1]))  # "the" consists of frequent tokens only
        assert vector == pytest.approx(token_rows[kept].mean(dim=0).numpy(), abs=1e-5)
    assert left_whole(table, left_out) == 1
    if pooling == "mean":
        assert np.abs(found[:3] - plain[:3]).max() > 1e-3


def test_the_mask_shrinks_with_k(encoder):
    table = encoder.tokenise(TEXTS)
    ids, mask = table.batch(range(len(table)))
    before, whole = mask, 0
    for k in range(12):
        left_out = frequent_ids(table, k)
        fallen = left_whole(table, left_out)
        now = left_mask(ids, mask, left_out)
        assert now.any(dim=1).all() and (now <= mask).all()
        shrunk = now.ne(mask).any(dim=1)
        assert (now[shrunk] <= before[shrunk]).all() and fallen >= whole
        assert int((~shrunk & mask.bool().any(dim=1)).sum()) >= fallen
        before, whole = now, fallen
