import threading
from pathlib import Path
from random import Random
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.augmentations import wordnet
from workbench.augmentations.text import METHODS
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._inflect import inflected
from workbench.augmentations.text._tags import tagged
from workbench.augmentations.text._tokens import article, is_plain
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
@settings(max_examples=100)
def test_any_text_can_be_drawn_and_locked_words_and_the_first_capital_stay(name, text, seed):
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
def test_a_missing_lexicon_is_reported_in_one_line(name, monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_WORDNET", str(tmp_path))
    method = METHODS[name]
    assert method.absent.startswith("Needs WordNet") and "\n" not in method.absent
    with pytest.raises(MissingResource):
        method.prepare([])
    assert method.tags["language"] == "english"


def test_synonym_substitution_uses_the_first_word_of_a_meaning():
    assert every("augcse_synonym_substitution", "The kitty met a bungalow.", rate=1.0) == {"The kitten met a cottage."}
    assert every("augcse_synonym_substitution", "She purchased new automobiles.", rate=1.0) == {"She bought new cars."}
    assert every("augcse_synonym_substitution", "A cab", rate=0.0) == {"A cab"}
    assert every("augcse_synonym_substitution", "A cab waits.") == {"A cab waits.", "A taxi waits."}


def test_more_general_and_more_specific():
    assert every("augcse_replace_hypernyms", "The dog barks.") == {"The canine barks.", "The canid barks."}
    assert "The adult male barks." in every("augcse_replace_hypernyms", "The dog barks.", senses=2)
    assert every("augcse_replace_hypernyms", "The dogs like a dog.") <= {
        f"The {plural} like a {single}."
        for plural, single in [("canines", "dog"), ("canids", "dog"), ("dogs", "canine"), ("dogs", "canid")]
    }
    assert every("augcse_replace_hyponyms", "The car stops.") == {"The taxi stops.", "The cab stops."}
    assert every("augcse_replace_hyponyms", "Cars stop.") == {"Taxis stop.", "Cabs stop."}
    assert call("augcse_replace_hyponyms", "The puppy") == "The puppy"


def test_a_noun_is_replaced_at_every_occurrence_as_a_whole_word():
    assert every("augcse_replace_hypernyms", "Cat food for a cat in a catalogue.") == {
        "Feline food for a feline in a catalogue.",
        "Felid food for a felid in a catalogue.",
    }


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("The price rose from 5 to 6.", {"The thing rose from 5 to 6."}),
        ("Google buys a startup", {"Google buys a thing"}),
        ("A rose is red.", {"A thing is red."}),
    ],
)
def test_verbs_are_not_taken_for_nouns(text, results):
    wordnet = Mock(base=lambda word, pos: word, hypernyms=lambda word, senses: ("thing",))
    assert {METHODS["augcse_replace_hypernyms"].fn(wordnet, text, rng=Random(seed)) for seed in range(40)} == results


def test_opposites_only_in_odd_numbers():
    name = "augcse_antonym_substitute"
    assert call(name, "The big dog.") == "The small dog."
    assert call(name, "The big dog and the old cat.") == "The big dog and the old cat."
    assert call(name, "The big old cat ran quickly.") == "The small new cat ran slowly."
    assert call(name, "The glad dog.") == "The unhappy dog."


def test_adjectives_switch_to_antonyms_of_the_first_word_only():
    name = "augcse_sentence_adjectives_antonyms_switch"
    assert call(name, "The large dog and the old cat.") == "The small dog and the new cat."
    assert call(name, "Bigger dogs ran quickly.") == "Smaller dogs ran quickly."
    assert call(name, "The quick dog.") == "The quick dog."


@pytest.mark.parametrize(
    "text",
    [
        "See dog.cat.org now.",
        "dog@cat.org",
        "x dog/big.cat?a=1",
        "https://n.dog.com:8/c?big=cat&dog",
        "dog://big-cat/dog",
        "He saw St. Xyz.",
        "Of the 3dog-100.",
        "n. d. c. 1450",
    ],
)
@pytest.mark.parametrize("name", [name for name in ALL if name != "eda_insert"])
def test_letters_abbreviations_and_parts_of_addresses_stay(name, text):
    parts = tokens(text)
    plain = {parts[place].lower() for place in range(1, len(parts), 2) if is_plain(parts, place)}
    assert not plain & {"dog", "cat", "big", "n", "d", "c", "st"}
    wordnet = Mock(mainly_noun=lambda word: False, base=lambda word, pos: word)
    for answer in ("synonyms", "plain_synonyms", "heads", "antonyms", "hypernyms", "hyponyms"):
        setattr(wordnet, answer, lambda word, *rest: ("hound",) if word in ("dog", "cat", "big", "n", "d", "c") else ())
    wordnet.antonym = lambda word, *rest: ""
    assert METHODS[name].fn(wordnet, text, rng=Random(0)) == text


def test_a_and_an_agree_with_the_new_word():
    assert (
        call("augcse_sentence_adjectives_antonyms_switch", "An old dog saw a happy cat.")
        == "A new dog saw an unhappy cat."
    )
    assert call("augcse_antonym_substitute", "A happy dog.") == "An unhappy dog."
    assert every("augcse_replace_hypernyms", "An apple.") == {"A fruit."}
    assert every("augcse_replace_hyponyms", "A FRUIT FELL.") == {"AN APPLE FELL."}
    for name in ("augcse_antonym_substitute", "augcse_sentence_adjectives_antonyms_switch"):
        assert call(name, "A HAPPY DOG, NASA SAYS") == "AN UNHAPPY DOG, NASA SAYS"
        assert call(name, "A happy dog at NASA") == "An unhappy dog at NASA"
    assert every("augcse_replace_hyponyms", "A fruit.") == {"An apple."}
    assert every("eda_synonym", "A car.") == {"An automobile.", "A motorcar."}
    assert "an automobile" in every("clear_substitution", "a car")
    assert every("augcse_synonym_substitution", "An edifice.", rate=1.0) == {"A building."}
    assert [
        article("a", word) for word in ("hour", "union", "unusual", "useful", "umbrella", "European", "one-off")
    ] == [*("an", "a", "an", "a", "an", "a", "a")]


@pytest.mark.parametrize("text", ["A black and white dog runs.", "The dog is black and white."])
def test_joined_adjectives_do_not_become_one(text):
    other = {"black": "white", "white": "black"}
    colours = Mock(antonyms=lambda word, pos: (other[word],), antonym=lambda word, pos: other[word])
    colours.mainly_noun = lambda word: False
    switched = METHODS["augcse_sentence_adjectives_antonyms_switch"].fn(colours, text, rng=Random(0))
    assert switched == text.replace("black and white", "white and black")
    assert METHODS["augcse_antonym_substitute"].fn(colours, text, rng=Random(0)) == text


@pytest.mark.parametrize("name", ["augcse_antonym_substitute", "augcse_sentence_adjectives_antonyms_switch"])
def test_comparatives_give_comparatives_and_measures_stay(name):
    assert call(name, "Bigger dogs ran.") == "Smaller dogs ran."
    assert call(name, "He is ten years old.") == "He is ten years old."
    assert call(name, "A 38-year old dog.") == "A 38-year old dog."
    few = Mock(antonyms=lambda word, pos: ("many",), antonym=lambda word, pos: "many", mainly_noun=lambda word: False)
    assert METHODS[name].fn(few, "Fewer dogs ran.", rng=Random(0)) == "Fewer dogs ran."
    piano = Mock(antonyms=lambda word, pos: ("forte",), antonym=lambda word, pos: "forte")
    assert METHODS[name].fn(piano, "A big solo.", rng=Random(0)) == "A big solo.", "mainly a noun"


def test_opposites_come_from_the_most_common_meaning():
    assert LEXICON.antonyms("large", "a") == ("little",) and LEXICON.antonyms("dog", "n") == ()


def test_born_is_a_verb():
    assert [tag for _, tag, _ in tagged("He was born in May.")][2] == "VERB"


@pytest.mark.parametrize(
    ("text", "asked", "new", "result"),
    [
        ("The islands sank.", "island", "Canary Islands", "The Canary Islands sank."),
        ("Two decades.", "decade", "1990s", "Two 1990s."),
        ("The men left.", "man", "person", "The persons left."),
        ("The games began.", "game", "works", "The works began."),
        ("The dogs bark.", "dog", "Leonberg", "The Leonberg bark."),
        ("The matches.", "match", "contest", "The contests."),
    ],
)
def test_no_plural_of_a_plural_or_of_a_name(text, asked, new, result):
    options = {asked: (new,)}
    wordnet = Mock(hypernyms=lambda word, senses: options.get(word, ()), base=lambda word, pos: word)
    assert METHODS["augcse_replace_hypernyms"].fn(wordnet, text, rng=Random(0)) == result


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
