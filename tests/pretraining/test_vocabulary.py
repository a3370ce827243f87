import random

import numpy as np
import pytest

from tests.pretraining.corpus import corpus
from tests.tiny import tiny_tokenizer
from workbench.core.config import Pretraining
from workbench.core.errors import BadData, BadModel
from workbench.pretraining.reading import articles
from workbench.pretraining.start import _tokenizer
from workbench.pretraining.vocabulary import bare, begins, counts, cut, encoded, learnt
from workbench.store import results


def pieces(tokenizer, text):
    return tokenizer.convert_ids_to_tokens(tokenizer(text, add_special_tokens=False)["input_ids"])


def test_encoded_gives_whole_articles_whatever_the_chunks(tmp_path, monkeypatch):
    path = corpus(tmp_path)
    tokenizer = bare(tiny_tokenizer("bert"))
    whole = [row for ids, _ in encoded(tokenizer, articles([path])) for row in ids]
    monkeypatch.setattr("workbench.pretraining.vocabulary.CHUNK", 7)
    parts = list(encoded(tokenizer, articles([path])))
    assert len(parts) > 5 and [row for ids, _ in parts for row in ids] == whole
    assert all(sum(sizes) == len(ids) for ids, sizes in parts) and sum(len(sizes) for _, sizes in parts) == 40


def test_cut_keeps_specials_single_characters_and_the_most_frequent(tmp_path):
    before = tiny_tokenizer("bert")
    often = counts(before, articles([corpus(tmp_path)]), lambda done: None)
    assert often.sum() == 40 * 3 * 41
    own = before.get_vocab()
    least = sum(len(piece.removeprefix("##")) == 1 or piece in before.all_special_tokens for piece in own)
    after = cut(before, often, least + 2)
    kept = after.get_vocab()
    ranked = sorted((piece for piece in own if len(piece) > 1), key=lambda piece: (-often[own[piece]], own[piece]))
    assert len(after) == least + 2 and set(ranked[:2]) <= kept.keys() <= own.keys() and ranked[2] not in kept
    assert pieces(before, "the guitar") == ["the", "guitar"]
    assert pieces(after, "the guitar") == ["the", "g", "##u", "##i", "##t", "##a", "##r"]
    ids = after("the guitar, a sentence!")["input_ids"]
    assert max(ids) < len(after) and after.unk_token_id not in ids
    assert ids[0] == after.cls_token_id and ids[-1] == after.sep_token_id and after.mask_token_id < len(after)
    assert after.decode(after("the man, runs.")["input_ids"], skip_special_tokens=True) == "the man, runs."


@pytest.mark.parametrize("damage", ["tokenizer.json", results.META])
def test_a_kept_vocabulary_that_cannot_be_read_is_made_again(tmp_path, damage):
    path, before, kept = corpus(tmp_path), tiny_tokenizer("bert"), tmp_path / "kept"
    asked = Pretraining(vocabulary="cut", vocabulary_size=300)
    made = []

    def vocabulary():
        return _tokenizer(before, asked, [path], kept, "mark", lambda note, share: made.append(note), lambda: False)

    first, once = vocabulary().get_vocab(), len(made)
    assert vocabulary().get_vocab() == first and len(made) == once > 0
    next(kept.glob(f"vocabulary-*/{damage}")).write_text("")
    if damage == results.META:
        next(kept.glob(f"vocabulary-*/{damage}")).unlink()
    assert vocabulary().get_vocab() == first and len(made) == 2 * once
    assert sorted(one.name for one in kept.iterdir())[0] == ".locks" and len(list(kept.iterdir())) == 2


def test_pieces_that_never_occur_are_not_kept_to_fill_up(tmp_path):
    before = tiny_tokenizer("bert")
    after = cut(before, counts(before, articles([corpus(tmp_path)]), lambda done: None), len(before))
    assert "sentence" in before.get_vocab() and "sentence" not in after.get_vocab() and "guitar" in after.get_vocab()


def test_cut_refuses_what_it_cannot_do():
    with pytest.raises(BadData, match="no room for the single characters"):
        cut(tiny_tokenizer("bert"), np.zeros(200), 20)
    with pytest.raises(BadModel, match="Only WordPiece"):
        cut(tiny_tokenizer("roberta"), np.zeros(300), 280)


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_learnt_has_the_size_asked_for_and_the_same_specials(tmp_path, family):
    before, path = tiny_tokenizer(family), corpus(tmp_path)
    size = 60 if family == "bert" else 275
    after = learnt(before, lambda: articles([path]), size, lambda done: None)
    assert len(after) == size and set(after.all_special_tokens) == set(before.all_special_tokens)
    assert len(after("the guitar")["input_ids"]) <= len(before("the guitar")["input_ids"])
    with pytest.raises(BadData, match="too small for a vocabulary of 5,000 pieces"):
        learnt(before, lambda: articles([path]), 5000, lambda done: None)


@pytest.mark.parametrize("family", ["bert", "mpnet", "roberta"])
def test_learnt_is_the_same_each_time(tmp_path, family):
    """Every word comes once, so that many pairs of pieces are equally frequent."""
    words = ["".join(random.Random(number).choices("abcdefghij", k=6)) for number in range(300)]
    before, size = tiny_tokenizer(family), 100 if family != "roberta" else 330
    first, second = (learnt(before, lambda: [[" ".join(words)]], size, lambda done: None) for _ in range(2))
    assert first.backend_tokenizer.to_str() == second.backend_tokenizer.to_str() and len(first) == size
    assert set(first.all_special_tokens) == set(before.all_special_tokens)
    assert not any(token.content.startswith("##") for token in first.added_tokens_decoder.values())


def test_learnt_refuses_more_characters_than_pieces():
    texts = [["".join(map(chr, range(0x4E00 + row * 40, 0x4E00 + row * 40 + 40)))] for row in range(20)]
    with pytest.raises(BadData, match=r"no room for the characters of this corpus\. It needs at least 8"):
        learnt(tiny_tokenizer("bert"), lambda: texts, 300, lambda done: None)


def test_begins_marks_the_first_piece_of_each_word():
    bert = tiny_tokenizer("bert")
    own = bert.get_vocab()
    found = begins(bert)
    assert found[own["the"]] and not found[own["##a"]]
    roberta = tiny_tokenizer("roberta")
    found = begins(roberta)
    assert found[roberta.get_vocab()["\u0120"]] and not found[roberta.get_vocab()["a"]]
