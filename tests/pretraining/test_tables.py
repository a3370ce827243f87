import lzma
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pretraining.corpus import corpus
from tests.tiny import tiny_tokenizer
from workbench.core.errors import BadData, Refused
from workbench.pretraining.prepared import Cancelled, prepared
from workbench.pretraining.tables import tables, windows
from workbench.store import results


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
    with pytest.raises(TypeError):  # another text: tokenised again
        tables([path], tokenizer, tmp_path / "kept", validation=0.1)


def test_files_with_the_same_bytes_and_other_ends_are_other_articles(tmp_path):
    tokenizer, texts = tiny_tokenizer("bert"), {"x": "the man\nthe dog\n", "y": "the ball\n\nthe cat\n"}
    for name, text in {**texts, "xy": "".join(texts.values())}.items():
        (tmp_path / name).write_text(text)
    files = ([tmp_path / "x", tmp_path / "y"], [tmp_path / "xy"])
    found = [tables(paths, tokenizer, tmp_path / "kept", validation=0.4, mark="same bytes") for paths in files]
    assert [one.about["articles"] for one in found] == [3, 2]


def test_after_cancelling_nothing_is_kept(tmp_path):
    path, tokenizer = corpus(tmp_path), tiny_tokenizer("bert")
    with pytest.raises(Cancelled):
        tables([path], tokenizer, tmp_path / "kept", validation=0.1, cancelled=lambda: True)
    assert left(tmp_path / "kept") == []
    assert len(tables([path], tokenizer, tmp_path / "kept", validation=0.1).train)


def left(folder):
    """Everything but the locks."""
    return [path.name for path in folder.iterdir() if path.name != ".locks"]


@pytest.mark.parametrize("damage", ["empty", "no object", "no ids", "cut ids", "no meta", "as it was before"])
def test_what_a_crash_left_incomplete_is_made_again(tmp_path, damage):
    path, tokenizer, kept = corpus(tmp_path), tiny_tokenizer("bert"), tmp_path / "kept"
    first = np.array(tables([path], tokenizer, kept, validation=0.1).train)
    [place] = [one for one in kept.iterdir() if one.name != ".locks"]
    meta, ids = place / results.META, place / "ids.bin"
    if damage in ("empty", "no object"):
        meta.write_text("" if damage == "empty" else "[]")
    elif damage == "no ids":
        ids.unlink()
    elif damage == "cut ids":
        ids.write_bytes(ids.read_bytes()[:-2])
    else:
        meta.unlink()
        (place / "ids.partial").write_bytes(b"x")
    assert np.array_equal(tables([path], tokenizer, kept, validation=0.1).train, first)
    assert sorted(one.name for one in place.iterdir()) == ["ids.bin", results.META] and len(left(kept)) == 1


def test_two_at_once_prepare_it_once(tmp_path):
    made, entered, go_on = [], threading.Event(), threading.Event()

    def make(draft):
        made.append(draft)
        entered.set()
        assert go_on.wait(20)
        (draft / "text").write_text("whole")
        return {}

    def read(place):
        return (place / "text").read_text()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(prepared, tmp_path / "a", make, read)
        assert entered.wait(20)
        second = pool.submit(prepared, tmp_path / "a", make, read)
        with pytest.raises(Cancelled):
            prepared(tmp_path / "a", make, read, lambda: True)
        go_on.set()
        assert first.result(20) == second.result(20) == "whole"
    assert len(made) == 1


def test_a_corpus_that_would_fill_the_disk_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "bomb.txt.xz"
    path.write_bytes(lzma.compress(text := corpus(tmp_path).read_bytes() * 20))
    assert len(text) > 50 * path.stat().st_size
    looks = iter([10**12, 10**12, 0])
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=next(looks)))
    monkeypatch.setattr("workbench.pretraining.tables._LOOK_EVERY", 1000)
    monkeypatch.setattr("workbench.pretraining.vocabulary.CHUNK", 50)
    with pytest.raises(Refused, match="A tokenised corpus"):
        tables([path], tiny_tokenizer("bert"), tmp_path / "kept", validation=0.1)
    assert left(tmp_path / "kept") == []


def test_what_was_prepared_counts_where_the_cache_is_pruned(tmp_path):
    path, cache = corpus(tmp_path), tmp_path / "cache"
    place = cache / "pretraining"
    tables([path], tiny_tokenizer("bert"), place, validation=0.1)
    results.save(cache / "answer", {"n": 1})
    [kept] = [one for one in place.iterdir() if one.name != ".locks"]
    os.utime(kept, (1, 1))
    os.utime(kept / "ids.bin", (1, 1))
    os.utime(kept / results.META, (1, 1))
    draft = place / ".draft-x"
    draft.mkdir()
    assert results.prune(cache, 500) > 1000 and left(place) == [".draft-x"] and results.has(cache / "answer")
    tables([path], tiny_tokenizer("bert"), place, validation=0.1)
    os.utime(draft, (1, 1))
    assert results.prune(cache, 10**9) == 0 and len(left(place)) == 1


def test_one_article_cannot_be_split(tmp_path):
    path = tmp_path / "one.txt"
    path.write_text("the man plays the guitar.\n")
    with pytest.raises(BadData, match="The corpus has 1 article"):
        tables([path], tiny_tokenizer("bert"), tmp_path, validation=0.1)


@given(st.integers(20, 500), st.integers(2, 20), st.integers(0, 3))
def test_windows_are_end_to_end_and_cover_all_but_a_remainder(tokens, length, epoch):
    starts = windows(tokens, length, seed=1, epoch=epoch)
    assert len(set(starts)) == len(starts) >= (tokens - length + 1) // length
    assert starts.min() >= 0 and starts.max() + length <= tokens
    assert len({start % length for start in starts.tolist()}) == 1
    assert starts.tolist() == windows(tokens, length, seed=1, epoch=epoch).tolist()
