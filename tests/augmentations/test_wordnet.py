import runpy
import threading
import zipfile
from pathlib import Path

import pytest

from workbench.augmentations import wordnet
from workbench.core.errors import MissingResource

TINY = Path(__file__).parent / "wordnet"


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setenv("WORKBENCH_WORDNET", str(TINY))
    return wordnet.reader()


def test_the_tiny_lexicon_matches_its_table():
    for name, content in runpy.run_path(str(TINY / "make.py"))["files"]().items():
        assert (TINY / name).read_text(encoding="utf-8") == content


def test_words_are_sorted_without_the_word_itself(tiny):
    assert tiny.synonyms("dog") == ("bounder", "cad", "domestic dog")
    assert tiny.synonyms("Dogs", "n") == ("bounder", "cad", "domestic dog"), "not its own singular"
    assert tiny.synonyms("domestic dog") == ("dog",)
    assert tiny.synonyms("jump", "v") == ("bound", "leap")
    assert tiny.synonyms("jump", "a") == tiny.synonyms("") == tiny.synonyms("好") == tiny.synonyms("x" * 5000) == ()
    assert tiny.heads("bounder", "n") == ("cad",)
    assert tiny.heads("leap", "v") == ("jump",)


def test_up_and_down(tiny):
    assert tiny.hypernyms("dogs") == ("canid", "canine")
    assert tiny.hypernyms("dog", senses=2) == ("adult male", "canid", "canine", "man")
    assert tiny.hyponyms("dog") == ("hound", "hunting dog", "poodle", "poodle dog", "puppy")
    assert tiny.hypernyms("thing") == tiny.hyponyms("puppy") == tiny.hypernyms("quickly") == ()


def test_opposites(tiny):
    assert tiny.antonym("big") == "small" and tiny.antonym("large") == "small"
    assert tiny.antonym("quick") == "" and tiny.antonym("nothing") == ""
    assert tiny.antonyms("large", "a") == ("little",), "its own, not that of its synonym"
    assert tiny.antonyms("glad", "a") == ("unhappy",), "none of its own"
    assert tiny.antonyms("quickly", "r") == ("slowly",)


def test_inflected_forms_lead_to_the_listed_word(tiny):
    assert tiny.base("men", "n") == "man" and tiny.base("Houses", "n") == "house" and tiny.base("ran", "v") == "run"
    assert tiny.base("xyz", "n") == ""


def test_threads_can_share_the_lexicon(tiny):
    wordnet._lexicon.cache_clear()
    fresh = wordnet.reader()
    found = []
    workers = [threading.Thread(target=lambda: found.append(fresh.synonyms("dog"))) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [("bounder", "cad", "domestic dog")] * 8


def test_absence_is_reported_in_one_line_with_a_way_out(monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_WORDNET", str(tmp_path))
    assert "WORKBENCH_WORDNET" in wordnet.missing() and "\n" not in wordnet.missing()
    with pytest.raises(MissingResource, match="nltk"):
        wordnet.lexicon([])


def test_nltk_folders_and_zip_files_are_read(monkeypatch, tmp_path):
    monkeypatch.delenv("WORKBENCH_WORDNET", raising=False)
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path))
    corpora = tmp_path / ".cache" / "nltk" / "corpora"
    corpora.mkdir(parents=True)
    with zipfile.ZipFile(corpora / "wordnet.zip", "w") as archive:
        for file in TINY.glob("*.*"):
            archive.write(file, f"wordnet/{file.name}")
    assert wordnet.missing() == ""
    assert wordnet.reader().synonyms("taxi") == ("cab",)


@pytest.mark.parametrize("problem", [None, OSError("disk full")])
def test_a_failed_download_is_reported(monkeypatch, tmp_path, problem):
    import nltk

    def download(*words, **settings):
        if problem:
            raise problem
        return False

    monkeypatch.setattr(nltk, "download", download)
    monkeypatch.setattr(nltk.data, "path", list(nltk.data.path))
    with pytest.raises(MissingResource, match="could not be fetched"):
        wordnet.fetch(tmp_path / "new")


def test_the_real_wordnet_if_installed(monkeypatch):
    monkeypatch.delenv("WORKBENCH_WORDNET", raising=False)
    if wordnet.missing():
        pytest.skip("no WordNet on this machine")
    real = wordnet.reader()
    assert real.antonym("good") == "bad" and real.antonyms("quickly", "r") == ("slowly",)
    assert {"canine", "domestic animal"} <= set(real.hypernyms("dogs")) and "puppy" in real.hyponyms("dog")
    assert "elect" not in real.synonyms("elected") and "elect" not in real.heads("elected", "v")
    assert real.antonyms("little", "a") == ("big",), "of its commonest meaning only"
    assert real.mainly_noun("piano") and not real.mainly_noun("big") and not real.mainly_noun("public")
    assert "purchase" in real.synonyms("buy") and real.base("geese", "n") == "goose"
