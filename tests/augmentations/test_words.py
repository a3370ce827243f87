from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.augmentations.text._capitals import recapitalised
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._words import (
    STOP_WORDS,
    english,
    joined,
    like_case,
    locked,
    tokens,
    words,
)

LINES = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=60),
    st.text("今天很好。カタがＡA b7\ue000\u3099\ue001", max_size=40),
)


@given(text=LINES)
@settings(max_examples=500)
def test_joined_units_are_the_normalised_text(text):
    units = words(text)
    assert joined(units, text) == normalised(text)
    assert all(units) and bool(units) == bool(normalised(text))
    assert "".join("".join(units).split()) == "".join(text.split())


@given(text=LINES)
@settings(max_examples=200)
def test_tokens_lose_nothing_and_words_are_at_odd_indices(text):
    parts = tokens(text)
    assert "".join(parts) == text and len(parts) % 2 == 1
    assert all(parts[1::2])
    assert not any(letter.isalnum() for part in parts[::2] for letter in part)
    assert not any(locked(part) for part in parts[::2])


def test_words_are_split_at_spaces_and_cjk_into_characters():
    assert words(" two\twords ") == ["two", "words"]
    assert words("今天很好。") == ["今", "天", "很", "好", "。"]
    assert words("我用GPT4写") == ["我", "用", "GPT4", "写"]
    assert words("今天天气很好。 我们去公园吧。")[6:8] == ["。 ", "我"]
    assert words("今天 天气 很 好") == ["今天", "天气", "很", "好"]  # already split into words
    assert words("저는 학생입니다") == ["저는", "학생입니다"]
    assert words("the 東京 tower") == ["the", "東京", "tower"]
    assert words("が行く") == ["が", "行", "く"]
    assert words("") == words(" \n") == []


def test_a_lock_is_a_unit():
    assert words("我爱\ue000和\ue001") == ["我", "爱", "\ue000", "和", "\ue001"]
    assert words("buy \ue000, now") == ["buy", "\ue000,", "now"]
    assert tokens("a \ue000's b")[3] == "\ue000's"
    assert locked("\ue000's") and locked("(\uf8ff)") and not locked("好") and not locked("")


def test_latin_words_are_not_joined_without_a_space():
    assert joined(["OK", "A4", "好", "很"], "OK很好A4") == "OK A4好很"


def test_case_follows_the_model():
    assert like_case("USA", "france") == "FRANCE"
    assert like_case("A", "the") == "The"
    assert like_case("iPhone", "phone") == "phone"
    assert like_case("42", "Two") == "Two"
    assert like_case("", "x") == "x"
    assert like_case("Dog", "") == ""


def test_the_first_word_gets_the_capital():
    assert recapitalised("The cat saw a dog.", "a dog saw The cat.") == "A dog saw the cat."
    assert recapitalised("Paris is big.", "big is Paris.") == "Big is Paris."
    assert recapitalised("Dogs chase cats.", "cats chase Dogs.") == "Cats chase dogs."
    assert recapitalised("Mark Twain wrote it.", "it wrote Mark Twain.") == "It wrote Mark Twain."
    assert recapitalised("It is.", "is It.") == "Is it." and recapitalised("In it.", "it In.") == "It in."
    assert recapitalised("NATO is.", "is NATO.") == "Is NATO."
    assert recapitalised("I like you.", "you like I.") == "You like I."
    assert recapitalised("the cat", "cat the") == "cat the"
    assert recapitalised('"No," he said.', 'he said "No,".') == 'He said "no,".'
    assert recapitalised("The end", "\ue000 The") == "\ue000 the"
    assert recapitalised("\ue000 is", "is \ue000") == "is \ue000"
    assert recapitalised("IT IS HERE.", "HERE, IT IS.") == "HERE, IT IS."
    assert recapitalised("", "x") == "x" and recapitalised("X", "") == ""


@given(before=LINES, after=LINES)
@settings(max_examples=200)
def test_recapitalising_changes_only_case(before, after):
    result = recapitalised(before, after)
    assert result.casefold() == after.casefold() or result.lower() == after.lower()
    assert [part for part in tokens(result) if locked(part)] == [part for part in tokens(after) if locked(part)]


def test_english_means_a_latin_letter():
    assert english("Größe") and english("x") and not english("× 42 今天 שלום") and not english("")


def test_stop_words_are_lower_case_grammar():
    assert {"the", "not", "of", "they're"} <= STOP_WORDS
    assert all(word == word.lower() for word in STOP_WORDS) and not {"dog", "good", "run"} & STOP_WORDS
