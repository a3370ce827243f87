import time
from collections import Counter
from random import Random
from unicodedata import category, normalize

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import DamerauLevenshtein, Levenshtein

from workbench.augmentations.draw import Draw, Drawer, draw
from workbench.augmentations.text._draws import edit_count, normalised, shuffled
from workbench.augmentations.text._words import locked_places
from workbench.augmentations.text.augcse_random_crop import augcse_random_crop
from workbench.augmentations.text.case_noise import case_noise
from workbench.augmentations.text.eda_delete import eda_delete
from workbench.augmentations.text.eda_swap import eda_swap
from workbench.augmentations.text.mirror_span import mirror_span
from workbench.augmentations.text.typo_noise import typo_noise

NAMES = ("augcse_random_crop", "case_noise", "eda_delete", "eda_swap", "mirror_span", "typo_noise")
FOX = "the quick brown fox jumps over the lazy dog while seven other animals look on"
ODD = [
    "",
    " ",
    "\n\t",
    "word",
    "a",
    "I",
    "👩‍👩‍👧 🎉",
    "ß",
    "שלום עולם",
    "今天天气很好",
    "\x00 \ud800 x",
    "<b>bold</b>",
    "a b" * 30_000,
]
LINES = st.text(st.characters(codec="utf-8", exclude_categories=["Co"]), max_size=80)  # no private-use: locks
SEEDS = st.integers(0, 10_000)


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(item in rest for item in part)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_nothing_raises_and_an_empty_text_stays_empty(name, text):
    result = draw(name, text, seed=0)
    assert isinstance(result.text, str)
    assert result.changed == (result.text != normalised(text))
    if not text.strip():
        assert result == Draw("", False, False, "none")


@pytest.mark.parametrize("name", NAMES)
@given(text=LINES, seed=SEEDS)
@settings(max_examples=30)
def test_the_same_draw_gives_the_same_text_and_never_an_empty_one(name, text, seed):
    first = draw(name, text, seed=seed)
    assert first == draw(name, text, seed=seed)
    assert first.text == normalised(first.text)
    assert bool(first.text) == bool(normalised(text))


@pytest.mark.parametrize("name", NAMES)
def test_draws_differ_by_seed_and_number(name):
    assert len({draw(name, FOX, seed=seed).text for seed in range(30)}) > 5
    assert len({draw(name, FOX, seed=0, draw=number).text for number in range(30)}) > 5


@pytest.mark.parametrize("name", NAMES)
def test_draws_differ_by_text(name):
    """Texts that differ in one letter: if the text were not in the key, all would be edited in the same way."""

    def edited(letter):
        letters = FOX.replace("fox", f"{letter}ox")
        return draw(name, letters, seed=0).text.replace(f"{letter}ox", "fox").replace(f"{letter.upper()}ox", "fox")

    assert len({edited(letter) for letter in "bdgklmnprstvw"}) > 3


@pytest.mark.parametrize("name", NAMES)
def test_a_text_does_not_care_about_its_neighbours(name):
    texts = [f"{FOX} number {row}" for row in range(10)]
    one = Drawer(name, seed=3)
    together = [one(text, 0) for text in texts]
    assert [one(text, 0) for text in reversed(texts)] == together[::-1]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "mirror_span"])
def test_rate_zero_changes_nothing(name):
    assert draw(name, f" {FOX}\n", seed=0, rate=0.0) == Draw(FOX, False, False, "none")


@given(seed=SEEDS, rate=st.floats(0, 1))
@settings(max_examples=50)
def test_swap_keeps_the_words(seed, rate):
    assert Counter(eda_swap(FOX, rate=rate, rng=Random(seed)).split()) == Counter(FOX.split())


def test_swap_makes_as_many_swaps_as_requested():
    words = FOX.split()
    moved = sum(a != b for a, b in zip(eda_swap(FOX, rng=Random(1)).split(), words, strict=True))
    assert moved == 2  # 15 words at .1: one swap


@given(seed=SEEDS, low=st.floats(0, 1), high=st.floats(0, 1))
@settings(max_examples=50)
def test_deletion_gives_a_subsequence_and_a_higher_rate_deletes_further_words(seed, low, high):
    low, high = sorted([low, high])
    few, many = (eda_delete(FOX, rate=rate, rng=Random(seed)).split() for rate in (low, high))
    assert many and is_subsequence(many, few) and is_subsequence(few, FOX.split())


def test_deletion_deletes_the_given_share():
    words = " ".join(map(str, range(1000)))
    left = len(eda_delete(words, rate=0.3, rng=Random(0)).split())
    assert 650 < left < 750


@given(seed=SEEDS, low=st.floats(0.01, 1), high=st.floats(0.01, 1))
@settings(max_examples=50)
def test_crop_deletes_one_run_that_grows_with_the_rate(seed, low, high):
    words = [f"w{place}" for place in range(20)]

    def gone(rate):
        left = augcse_random_crop(" ".join(words), rate=rate, rng=Random(seed)).split()
        missing = [place for place, word in enumerate(words) if word not in left]
        assert left == [word for word in words if word in left] and left
        assert missing == list(range(missing[0], missing[0] + len(missing)))
        return set(missing)

    low, high = sorted([low, high])
    assert gone(low) <= gone(high)


def test_crop_deletes_the_given_share_at_any_position():
    words = " ".join(f"w{place}" for place in range(10))
    left = [augcse_random_crop(words, rng=Random(seed)).split() for seed in range(200)]
    assert {len(rest) for rest in left} == {4}
    assert len({tuple(rest) for rest in left}) == 5


@given(seed=SEEDS)
@settings(max_examples=50)
def test_mirror_masks_one_span(seed):
    result = mirror_span(FOX, mask="<mask>", rng=Random(seed))
    before, after = result.split("<mask>")
    assert FOX.startswith(before.rstrip()) and FOX.endswith(after.lstrip())
    assert 3 <= len(FOX) - len(before.rstrip()) - len(after.lstrip()) <= 7  # the span, and spaces next to it
    assert mirror_span("x" * 29, rng=Random(seed)) == "x" * 29
    assert "[MASK]" in mirror_span("x" * 30, rng=Random(seed))


def test_mirror_masks_by_position_not_by_first_occurrence():
    starts = {mirror_span("ab" * 20, rng=Random(seed)).index("[") for seed in range(200)}
    assert len(starts) == 36


@pytest.mark.parametrize(
    "text",
    [
        "नमस्ते दुनिया आज मौसम बहुत अच्छा है और हम खुश हैं",
        "สวัสดีชาวโลกวันนี้อากาศดีมากและเรามีความสุข",
        "Le cafe\u0301 e\u0301tait tre\u0300s bon, l'e\u0301te\u0301 e\u0301tait fini",
        "👨‍👩‍👧‍👦 the family 👩🏽‍🚀 went 👍🏽 to space ❤️ today",
        "👨‍👩‍👧‍👦 the \ue000 👩🏽‍🚀 went 👍🏽 to space ❤️ today",
        "football: 🇩🇪🇫🇷🇧🇷 b 🇩🇪 c 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f won",
        normalize("NFD", "안녕하세요 오늘 날씨가 좋습니다"),
        "\U00011107\U00011127\U00011107\U0001112c\U00011107\U00011127 \U00011107\U00011128 and a few more words too",  # Chakma
    ],
)
def test_mirror_cuts_no_character_in_two(text):
    for seed in range(200):
        before, after = mirror_span(text, length=3, mask="<mask>", rng=Random(seed)).split("<mask>")
        assert text.startswith(before.rstrip()) and text.endswith(after.lstrip())
        assert not before.rstrip().endswith("\u200d")
        first = after.lstrip()[:1] or "x"
        assert category(first)[0] != "M" and first != "\u200d" and not "\U0001f3fb" <= first <= "\U0001f3ff"
        assert ("\ue000" in text) == ("\ue000" in before + after)
        assert not "\u1160" <= first <= "\u11ff" and not "\U000e0020" <= first <= "\U000e007f"
        # Regional indicators make a flag two by two.
        assert not sum("\U0001f1e6" <= sign <= "\U0001f1ff" for sign in before) % 2


@given(seed=SEEDS, text=st.text("ab 天气é\ue000", min_size=5, max_size=20))
def test_mirror_masks_exactly_the_drawn_span_where_no_character_has_marks(seed, text):
    clean = normalised(text)
    free = [k for k in range(len(clean) - 2) if locked_places(clean).isdisjoint(range(k, k + 3))]
    start = free[int(Random(seed).random() * len(free))] if free else 0
    wanted = normalised(f"{clean[:start]} [MASK] {clean[start + 3 :]}") if free else clean
    assert mirror_span(text, length=3, shortest=1, rng=Random(seed)) == wanted


@given(seed=SEEDS, text=st.one_of(LINES, st.just(FOX), st.text("ab \u00e9", max_size=12)), rate=st.floats(0.01, 1))
@settings(max_examples=200)
def test_typos_change_the_text_by_at_most_the_requested_errors(seed, text, rate):
    clean = normalised(text)
    asked = edit_count(rate, sum(letter.isalpha() for letter in clean))
    noisy = typo_noise(text, rate=rate, rng=Random(seed))
    distance = DamerauLevenshtein.distance(clean, noisy)
    assert (0 < distance <= asked) if asked else distance == 0
    if all(letter.isalpha() or letter == " " for letter in clean):
        assert len(noisy.split()) == len(clean.split())


@pytest.mark.parametrize("text", [normalize("NFD", "Mädchen größer"), "हमारी दुनिया"])
def test_typos_take_no_letter_from_its_accent(text):
    clusters = regex.findall(r"\X", text)
    for seed in range(200):
        noisy = regex.findall(r"\X", typo_noise(text, rate=0.2, rng=Random(seed)))
        assert {one for one in noisy if len(one) > 1} <= {*clusters}
        assert sum(len(one) > 1 for one in noisy) == sum(len(one) > 1 for one in clusters)


def test_there_are_four_kinds_of_typos():
    noisy = [typo_noise("streams", rng=Random(seed)) for seed in range(300)]
    longer = sum(len(text) == 8 for text in noisy)
    shorter = sum(len(text) == 6 for text in noisy)
    swapped = sum(sorted(text) == sorted("streams") for text in noisy)
    replaced = 300 - longer - shorter - swapped
    assert min(longer, shorter, swapped, replaced) > 40


def test_a_higher_rate_adds_typos_to_the_same_ones():
    edits = [
        set(map(tuple, Levenshtein.editops(FOX, typo_noise(FOX, rate=rate, rng=Random(7))))) for rate in (0.02, 0.06)
    ]
    assert {edit[:2] for edit in edits[0]} <= {edit[:2] for edit in edits[1]}
    flips = [
        {place for place, letter in enumerate(case_noise(FOX, rate=rate, rng=Random(7))) if letter.isupper()}
        for rate in (0.05, 0.2, 0.6)
    ]
    assert flips[0] < flips[1] < flips[2]


@given(seed=SEEDS, text=LINES, rate=st.floats(0.01, 1))
@settings(max_examples=100)
def test_case_noise_flips_as_many_letters_as_requested(seed, text, rate):
    clean = normalised(text)
    flippable = sum(letter.swapcase() != letter and len(letter.swapcase()) == 1 for letter in clean)
    noisy = case_noise(text, rate=rate, rng=Random(seed))
    assert len(noisy) == len(clean)
    assert sum(a != b for a, b in zip(noisy, clean, strict=True)) == edit_count(rate, flippable)
    if clean.isascii():
        assert noisy.lower() == clean.lower()


def test_scripts_without_case_are_left_alone():
    assert draw("case_noise", "今天天气很好", seed=0).changed is False


def test_edit_counts():
    assert [edit_count(rate, 10) for rate in (0, 0.01, 0.1, 0.29, 0.3, 1)] == [0, 1, 1, 2, 3, 10]
    assert edit_count(0.5, 0) == 0


def test_shuffled_is_a_permutation():
    assert sorted(shuffled(range(20), Random(0))) == list(range(20))


def test_published_names_are_accepted():
    assert draw("RandomCrop", FOX, seed=0) == draw("augcse_random_crop", FOX, seed=0)


def test_unknown_names_and_values_are_refused():
    from workbench.core.errors import BadSetting, UnknownName

    with pytest.raises(UnknownName, match="eda_swap"):
        draw("eda_swop", FOX, seed=0)
    with pytest.raises(UnknownName, match="setting"):
        draw("eda_swap", FOX, seed=0, rates=0.1)
    with pytest.raises(BadSetting, match="rate"):
        draw("eda_swap", FOX, seed=0, rate=2.0)


@pytest.mark.parametrize("name", NAMES)
def test_speed(name):
    one = Drawer(name, seed=0)
    texts = [f"{FOX} {row}" for row in range(1000)]
    start = time.process_time()
    for text in texts:
        one(text, 0)
    assert time.process_time() - start < 0.5  # 20,000 a second are 0.05
