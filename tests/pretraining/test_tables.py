import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pretraining.corpus import corpus
from tests.tiny import tiny_tokenizer
from workbench.core.errors import BadData
from workbench.pretraining.tables import Cancelled, tables, windows


def test_ids_are_those_of_the_tokenizer_with_a_separator_after_each_article(tmp_path):
    path, tokenizer = corpus(tmp_path, articles=10), tiny_tokenizer("bert")
    found = tables([path], tokenizer, tmp_path / "kept", validation=0.2)
    blocks = [block for block in path.read_text().split("\n\n") if block.strip()]
    flat = []
    for block in blocks:
        for line in block.strip().split("\n"):
            flat += tokenizer(line, add_special_tokens=False)["input_ids"]
        flat.append(tokenizer.sep_token_id)
    assert np.concatenate([found.train, found.validation]).tolist() == flat
    assert int((found.validation == tokenizer.sep_token_id).sum()) == 2 == found.about["held_out"]
    assert found.train[-1] == tokenizer.sep_token_id and isinstance(found.train, np.memmap)
    assert found.about["words"] == 10 * 3 * 40 and found.about["pieces_per_word"] == pytest.approx(41 / 40)


def test_a_corpus_is_tokenised_once(tmp_path, monkeypatch):
    path, tokenizer = corpus(tmp_path), tiny_tokenizer("bert")
    first = tables([path], tokenizer, tmp_path / "kept", validation=0.1)
    monkeypatch.setattr("workbench.pretraining.tables.encoded", None)
    again = tables([path], tokenizer, tmp_path / "kept", validation=0.1)
    assert np.array_equal(first.train, again.train)
    path.write_text(path.read_text() + "the man.\n")
    with pytest.raises(TypeError):  # another text: tokenised anew
        tables([path], tokenizer, tmp_path / "kept", validation=0.1)


def test_called_off_nothing_is_kept(tmp_path):
    path, tokenizer = corpus(tmp_path), tiny_tokenizer("bert")
    with pytest.raises(Cancelled):
        tables([path], tokenizer, tmp_path / "kept", validation=0.1, cancelled=lambda: True)
    assert not list((tmp_path / "kept").rglob("about.json"))
    assert len(tables([path], tokenizer, tmp_path / "kept", validation=0.1).train)


def test_one_article_cannot_be_parted(tmp_path):
    path = tmp_path / "one.txt"
    path.write_text("the man plays the guitar.\n")
    with pytest.raises(BadData, match="The corpus has 1 article"):
        tables([path], tiny_tokenizer("bert"), tmp_path, validation=0.1)


@given(st.integers(20, 500), st.integers(2, 20), st.integers(0, 3))
def test_windows_lie_end_to_end_and_cover_all_but_a_rest(tokens, length, epoch):
    starts = windows(tokens, length, seed=1, epoch=epoch)
    assert len(set(starts)) == len(starts) >= (tokens - length + 1) // length
    assert starts.min() >= 0 and starts.max() + length <= tokens
    assert len({start % length for start in starts.tolist()}) == 1
    assert starts.tolist() == windows(tokens, length, seed=1, epoch=epoch).tolist()
