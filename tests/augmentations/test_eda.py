from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workbench.augmentations import wordnet
from workbench.augmentations.text import METHODS
from workbench.augmentations.text._draws import edit_count, normalised
from workbench.augmentations.text._eda import prepared
from workbench.augmentations.text._words import STOP_WORDS, words

TINY = Path(__file__).parent / "wordnet"
LEXICON = wordnet.Lexicon(TINY)
DOGS = "The old dog and a quick fox jump over the house because the dog is happy."
CHINESE = "今天天气很好我们去公园散步"
FOUR = ["eda_delete", "eda_insert", "eda_swap", "eda_synonym"]
LINES = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=60),
    st.lists(st.sampled_from([*DOGS.split(), "\ue000", "\ue001,", "好", "DOG"]), max_size=15).map(" ".join),
    st.text("今天很好。a b\ue000\ue001", max_size=30),
)
SEEDS = st.integers(0, 10_000)


def call(name, text, seed=0, **knobs):
    first = (LEXICON,) if METHODS[name].prepare else ()
    return METHODS[name].fn(*first, text, rng=Random(seed), **knobs)


def locks(text):
    return Counter(letter for letter in text if "\ue000" <= letter <= "\uf8ff")


@pytest.mark.parametrize("name", FOUR)
@given(text=LINES, seed=SEEDS, rate=st.floats(0, 1), clean=st.booleans())
@example(text="0 0⺀\ue000", seed=0, rate=1.0, clean=True)
@settings(max_examples=100)
def test_any_text_can_be_drawn_and_locked_words_stay_whole(name, text, seed, rate, clean):
    result = call(name, text, seed, rate=rate, eda_clean=clean)
    assert result == normalised(result) == call(name, text, seed, rate=rate, eda_clean=clean)
    assert bool(result) == bool(normalised(text))
    assert locks(result) == locks(text)
    held = Counter(unit.strip() for unit in words(normalised(text)) if locks(unit))
    assert all(result.count(unit) >= count for unit, count in held.items())
    if normalised(text).replace("\ue000", "").replace("\ue001", "").isascii():  # so split at spaces, as the result is
        assert not held - Counter(words(result))


@pytest.mark.parametrize("name", FOUR)
def test_rate_zero_changes_nothing(name):
    assert call(name, f" {DOGS}\n", rate=0.0) == DOGS


def test_cleaning_matches_the_published_code():
    assert prepared("Don't - it's 5 o'clock, WELL-known\tthings!", True) == "dont its oclock well known things"
    assert prepared("Größe 今天,很好!", True) == "größe 今天 很好"
    assert prepared("Cafe\u0301 ❤\ufe0f 1\ufe0f\u20e3 हिन्दी", True) == "cafe\u0301 हिन्दी"
    assert prepared("❤\ufe0f", True) == "❤\ufe0f"
    assert prepared("Buy \ue000's, NOW!", True) == "buy \ue000's, now"
    # Accents and vowel signs that are characters of their own are parts of letters.
    assert prepared("Cafe\u0301, हिन्दी!", True) == "cafe\u0301 हिन्दी"
    assert prepared("42!", True) == "42!" and prepared("", True) == ""
    for name in FOUR:
        assert call(name, "The DOG!", rate=0.0, eda_clean=True) == "the dog"


def test_synonyms_of_the_tiny_lexicon():
    """One of 16 words at .1: a word with synonyms changes, at every occurrence."""
    results = {call("eda_synonym", DOGS, seed) for seed in range(200)}
    assert DOGS.replace("dog", "domestic dog") in results
    assert DOGS.replace("house", "home") in results
    # dog: bounder, cad, domestic dog; quick: speedy; jump: bound, leap; house: dwelling, home; happy: glad
    assert DOGS not in results and len(results) == 9


@given(seed=SEEDS, low=st.floats(0, 1), high=st.floats(0, 1))
@settings(max_examples=60)
def test_synonyms_never_touch_stop_words_and_a_higher_rate_replaces_more(seed, low, high):
    def replaced(rate):
        left = [word for word in DOGS.split() if word.lower() in STOP_WORDS]
        result = call("eda_synonym", DOGS, seed, rate=rate)
        assert [word for word in result.split() if word.lower() in STOP_WORDS] == left
        return {word for word in DOGS.rstrip(".").split() if word not in result.rstrip(".").split()}

    low, high = sorted([low, high])
    few, many = replaced(low), replaced(high)
    assert few <= many | {"dog"} and len(many) <= max(1, int(high * 16))


def test_synonyms_keep_capitals_and_positions():
    assert call("eda_synonym", "Car CAR car's caring", 1) in (
        "Automobile AUTOMOBILE car's caring",
        "Motorcar MOTORCAR car's caring",
    )


@given(seed=SEEDS, rate=st.floats(0.01, 1))
@settings(max_examples=60)
def test_insertions_are_as_many_as_requested_and_never_at_the_end(seed, rate):
    text = "My car needs a street."  # synonyms of one word each: automobile, motorcar, road
    result = call("eda_insert", text, seed, rate=rate).split()
    assert len(result) == 5 + edit_count(rate, 5)
    assert result[-1] == "street." and result[0][0].isupper()
    added = Counter(word.lower() for word in result) - Counter(text.lower().split())
    assert set(added) <= {"automobile", "motorcar", "road"}


def test_a_higher_rate_adds_further_insertions():
    few, many = (call("eda_insert", DOGS, 5, rate=rate).lower().split() for rate in (0.1, 0.4))
    rest = iter(many)
    assert len(many) > len(few) > len(DOGS.split()) and all(word in rest for word in few)


def test_without_synonyms_nothing_is_inserted_or_replaced():
    for text in ("Is it of the?", "xyzzy", CHINESE, "\ue000 dog\ue001"):
        assert call("eda_insert", text) == call("eda_synonym", text) == text


@given(seed=SEEDS, rate=st.floats(0.01, 1))
@settings(max_examples=40)
def test_chinese_is_cut_into_characters(seed, rate):
    swapped = call("eda_swap", CHINESE, seed, rate=rate)
    assert Counter(swapped) == Counter(CHINESE)
    left = call("eda_delete", CHINESE, seed, rate=rate)
    rest = iter(CHINESE)
    assert left and all(letter in rest for letter in left)
    assert any(call("eda_swap", CHINESE, number) != CHINESE for number in range(3))


def test_locked_words_are_never_deleted_and_limit_a_crop():
    text = "one \ue000, two \ue001 three"
    assert call("eda_delete", text, rate=1.0) == "\ue000, \ue001"
    crops = {call("augcse_random_crop", text, seed) for seed in range(30)}
    assert crops == {"\ue000, two \ue001 three", "one \ue000, \ue001 three", "one \ue000, two \ue001"}
    assert call("augcse_random_crop", "\ue000 \ue001") == "\ue000 \ue001"


@pytest.mark.parametrize("name", ["case_noise", "typo_noise", "mirror_span", "augcse_random_crop"])
@given(text=LINES, seed=SEEDS)
@settings(max_examples=80)
def test_noise_leaves_locked_words_alone(name, text, seed):
    knobs = {"shortest": 1} if name == "mirror_span" else {"rate": 0.9}
    result = call(name, text, seed, **knobs)
    assert locks(result) == locks(text)
    for unit in words(normalised(text)):
        assert not locks(unit) or unit.strip() in result


def test_letters_next_to_a_lock_stay():
    for seed in range(50):
        assert "x\ue000y," in call("typo_noise", "abc x\ue000y, def", seed, rate=1.0)
        assert "x\ue000y," in call("case_noise", "abc x\ue000y, def", seed, rate=1.0)
        assert "x\ue000y," in call("mirror_span", "abc x\ue000y, def", seed, shortest=1, length=3)
    assert call("mirror_span", "a \ue000 b", shortest=1) == "a \ue000 b"
