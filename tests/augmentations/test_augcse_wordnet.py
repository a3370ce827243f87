import threading
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.augmentations import wordnet
from workbench.augmentations.text import METHODS
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._inflect import inflected
from workbench.augmentations.text._words import tokens
from workbench.core.errors import MissingResource

LEXICON = wordnet.Lexicon(Path(__file__).parent / "wordnet")
ALL = ["clear_substitution", "eda_insert", "eda_synonym", "augcse_synonym_substitution", "augcse_antonym_substitute"]
ALL += ["augcse_replace_hypernyms", "augcse_replace_hyponyms", "augcse_sentence_adjectives_antonyms_switch"]
REWRITING = [name for name in ALL if name.startswith("augcse")]
WORDS = ["The", "dogs", "dog", "old", "quickly", "buys", "Bigger", "\ue000", "\ue001's", "men", "is", "a", "big,", "好"]
LINES = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=60), st.lists(st.sampled_from(WORDS), max_size=15).map(" ".join)
)
SEEDS = st.integers(0, 10_000)


def call(name, text, seed=0, **knobs):
    return METHODS[name].fn(LEXICON, text, rng=Random(seed), **knobs)


def every(name, text, **knobs):
    return {call(name, text, seed, **knobs) for seed in range(60)}


@pytest.mark.parametrize("name", REWRITING)
@given(text=LINES, seed=SEEDS)
@settings(max_examples=100, deadline=None)
def test_any_text_is_drawn_locked_words_stay_and_the_first_capital_too(name, text, seed):
    clean, result = normalised(text), call(name, text, seed)
    assert result == normalised(result) == call(name, text, seed)
    assert bool(result) == bool(clean)
    held = [part for part in tokens(clean) if "\ue000" in part or "\ue001" in part]
    assert [part for part in tokens(result) if "\ue000" in part or "\ue001" in part] == held
    if clean[:1].isupper():
        assert result[0].isupper()


@pytest.mark.parametrize("name", ALL)
def test_other_languages_stay(name):
    for text in ("今天天气很好", "שלום עולם", "", "🎉", "42"):
        assert call(name, text) == text


@pytest.mark.parametrize("name", ALL)
def test_absent_lexicon_is_said_in_one_line(name, monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_WORDNET", str(tmp_path))
    method = METHODS[name]
    assert method.absent.startswith("Needs WordNet") and "\n" not in method.absent
    with pytest.raises(MissingResource):
        method.prepare([])
    assert method.tags["language"] == "english"


def test_synonym_substitution_takes_the_names_of_meanings():
    assert every("augcse_synonym_substitution", "The kitty met a bungalow.", rate=1.0) == {"The kitten met a cottage."}
    assert every("augcse_synonym_substitution", "She purchased new automobiles.", rate=1.0) == {"She bought new cars."}
    assert every("augcse_synonym_substitution", "A cab", rate=0.0) == {"A cab"}
    assert every("augcse_synonym_substitution", "A cab waits.") == {"A cab waits.", "A taxi waits."}


def test_more_general_and_more_special():
    assert every("augcse_replace_hypernyms", "The dog barks.") == {"The canine barks.", "The canid barks."}
    assert "The adult male barks." in every("augcse_replace_hypernyms", "The dog barks.", senses=2)
    assert every("augcse_replace_hypernyms", "The dogs like a dog.") <= {
        f"The {plural} like a {single}."
        for plural, single in [("canines", "dog"), ("canids", "dog"), ("dogs", "canine"), ("dogs", "canid")]
    }
    assert every("augcse_replace_hyponyms", "The car stops.") == {"The taxi stops.", "The cab stops."}
    assert every("augcse_replace_hyponyms", "Cars stop.") == {"Taxis stop.", "Cabs stop."}
    assert call("augcse_replace_hyponyms", "The puppy") == "The puppy"


def test_a_noun_is_replaced_wherever_it_stands_but_whole():
    assert every("augcse_replace_hypernyms", "Cat food for a cat in a catalogue.") == {
        "Feline food for a feline in a catalogue.",
        "Felid food for a felid in a catalogue.",
    }


def test_opposites_only_in_odd_number():
    name = "augcse_antonym_substitute"
    assert call(name, "The big dog.") == "The small dog."
    assert call(name, "The big dog and the old cat.") == "The big dog and the old cat."
    assert call(name, "The big old cat ran quickly.") == "The small new cat ran slowly."
    assert call(name, "The glad dog.") == "The unhappy dog."


def test_adjectives_switch_by_first_words_only():
    name = "augcse_sentence_adjectives_antonyms_switch"
    assert call(name, "The large dog and the old cat.") == "The small dog and the new cat."
    assert call(name, "Bigger dogs ran quickly.") == "Smaller dogs ran quickly."
    assert call(name, "The quick dog.") == "The quick dog."


def test_forms():
    assert inflected("adult male", "dogs", "dog", "n") == "adult males"
    assert inflected("go", "walked", "walk", "v") == "went"
    assert inflected("go", "walked", "walk", "v", participle=True) == "gone"
    assert inflected("beautiful", "bigger", "big", "a") == "more beautiful"
    assert inflected("dog", "xyz", "", "n") == "dog"


def test_threads_draw_the_same():
    text = "The old dog and a quick fox jump over the big house."
    wanted = [call(name, text, 3) for name in ALL]
    wordnet._lexicon.cache_clear()
    fresh = wordnet.Lexicon(Path(__file__).parent / "wordnet")
    found = []

    def draw():
        found.append([METHODS[name].fn(fresh, text, rng=Random(3)) for name in ALL])

    workers = [threading.Thread(target=draw) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [wanted] * 6
