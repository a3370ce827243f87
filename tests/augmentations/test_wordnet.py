import runpy
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from workbench.augmentations import wordnet
from workbench.core.errors import MissingResource
from workbench.core.paths import shipped

TINY = Path(__file__).parent / "wordnet"


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setenv("WORKBENCH_WORDNET", str(TINY))
    return wordnet.reader()


@pytest.fixture(scope="module")
def real():
    return wordnet.Lexicon(shipped(*wordnet.SHIPPED))


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


@pytest.mark.parametrize(
    ("form", "pos", "listed"),
    [
        ("dogs", "n", "dog"),
        ("buses", "n", "bus"),
        ("wolves", "n", "wolf"),
        ("boxes", "n", "box"),
        ("churches", "n", "church"),
        ("dishes", "n", "dish"),
        ("firemen", "n", "fireman"),
        ("cities", "n", "city"),
        ("children", "n", "child"),
        ("sisters-in-law", "n", "sister-in-law"),
        ("hot dogs", "n", "hot dog"),
        ("tries", "v", "try"),
        ("boxes", "v", "box"),
        ("hoped", "v", "hope"),
        ("walked", "v", "walk"),
        ("making", "v", "make"),
        ("went", "v", "go"),
        ("nicer", "a", "nice"),
        ("tallest", "a", "tall"),
        ("better", "a", "better"),  # listed itself, so it comes before `good`
        ("worst", "r", "worst"),
        ("xyzzies", "n", ""),
    ],
)
def test_base_forms_of_the_shipped_lexicon(real, form, pos, listed):
    assert real.base(form, pos) == listed


def test_the_shipped_lexicon_knows_what_wordnet_says(real):
    assert real.synonyms("taxi") == ("cab", "hack", "taxicab")
    assert {"auto", "automobile", "machine", "motorcar", "railcar", "gondola", "cable car"} <= set(real.synonyms("car"))
    assert real.antonym("good") == "bad" and real.antonyms("quickly", "r") == ("slowly",)
    assert real.hypernyms("dogs") == ("canid", "canine", "domestic animal", "domesticated animal")
    assert {"puppy", "poodle", "Great Pyrenees"} <= set(real.hyponyms("dog")) and "wolf" not in real.hyponyms("dog")
    assert real.hypernyms("Paris") == (), "an instance of a capital, not a kind of one"
    assert real.heads("purchase", "v") == ("buy",)
    assert "elect" not in real.synonyms("elected") and "elect" not in real.heads("elected", "v")
    assert real.antonyms("little", "a") == ("big",), "of its commonest meaning only"
    assert real.mainly_noun("piano") and not real.mainly_noun("big") and not real.mainly_noun("public")
    assert "purchase" in real.synonyms("buy")
    assert real.plain_synonyms("t-shirt") == ("jersey", "tee shirt")


def test_syntactic_marks_are_no_part_of_a_word(real):
    assert "afloat" in real.synonyms("adrift") and not any("(" in name for name in real.synonyms("adrift"))


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


@pytest.mark.parametrize("missing", ["", "noun.exc"])
def test_a_named_folder_without_wordnet_is_reported_in_one_line_with_a_way_out(monkeypatch, tmp_path, missing):
    folder = shutil.copytree(TINY, tmp_path / "wordnet") if missing else tmp_path
    (folder / missing).unlink() if missing else None
    monkeypatch.setenv("WORKBENCH_WORDNET", str(folder))
    assert "WORKBENCH_WORDNET" in wordnet.missing() and "\n" not in wordnet.missing()
    with pytest.raises(MissingResource, match="unset it"):
        wordnet.lexicon([])


def test_the_shipped_lexicon_is_used_unless_a_folder_is_named(monkeypatch):
    monkeypatch.delenv("WORKBENCH_WORDNET", raising=False)
    assert wordnet.missing() == "" and "motorcar" in wordnet.reader().synonyms("car")
    assert wordnet.source().stat().st_size < 6e6
    monkeypatch.setenv("WORKBENCH_WORDNET", str(TINY))
    assert wordnet.missing() == "" and wordnet.reader().synonyms("taxi") == ("cab",)


def test_listing_methods_reads_no_lexicon():
    code = (
        "from workbench.augmentations import wordnet; from workbench.augmentations.text import METHODS; "
        "assert not METHODS['eda_synonym'].absent; print(wordnet._lexicon.cache_info().misses)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "0\n"
