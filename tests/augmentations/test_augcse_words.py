"""AugCSE's augmentations that move or delete words and sentences, in any language."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text.augcse_random_crop import augcse_random_crop
from workbench.augmentations.text.augcse_random_deletion import augcse_random_deletion
from workbench.augmentations.text.augcse_random_swap import augcse_random_swap
from workbench.augmentations.text.augcse_random_word_augmentation import augcse_random_word_augmentation
from workbench.augmentations.text.augcse_sentence_reordering import augcse_sentence_reordering, sentences

METHODS = [
    augcse_random_deletion,
    augcse_random_swap,
    augcse_random_word_augmentation,
    augcse_sentence_reordering,
]
TEN = " ".join(f"w{place}" for place in range(10))
SEEDS = st.integers(0, 10_000)
RATES = st.floats(0, 1)
LINES = st.text(st.characters(codec="utf-8"), max_size=60)
LOCKS = ["\ue000", "\ue001", "\ue002"]
LOCKED = st.lists(st.sampled_from([*LOCKS[:2], "a", "dogs.", "Run!", "\ue002,", "今天"]), max_size=9).map(" ".join)


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(item in rest for item in part)


@pytest.mark.parametrize("method", METHODS)
@given(text=LINES, seed=SEEDS)
@settings(max_examples=60)
def test_the_same_seed_gives_the_same_normalised_text_and_never_an_empty_one(method, text, seed):
    result = method(text, rng=Random(seed))
    assert result == method(text, rng=Random(seed)) == normalised(result)
    assert bool(result) == bool(normalised(text))


@pytest.mark.parametrize("method", METHODS)
@given(text=LOCKED, seed=SEEDS)
@settings(max_examples=60)
def test_locked_characters_survive(method, text, seed):
    result = method(text, rng=Random(seed))
    assert [result.count(lock) for lock in LOCKS] == [text.count(lock) for lock in LOCKS]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("text", ["", " ", "word", "👩‍👩‍👧", "שלום"])
def test_a_single_word_stays(method, text):
    assert method(text, rng=Random(0)) == normalised(text)


@given(seed=SEEDS, low=RATES, high=RATES)
@settings(max_examples=60)
def test_deletion_gives_a_subsequence_and_a_higher_rate_deletes_more(seed, low, high):
    low, high = sorted([low, high])
    few, many = (augcse_random_deletion(TEN, rate=rate, rng=Random(seed)).split() for rate in (low, high))
    assert many and is_subsequence(many, few) and is_subsequence(few, TEN.split())


@pytest.mark.parametrize(("rate", "left"), [(0.0, 10), (0.01, 9), (0.6, 4), (0.99, 1), (1.0, 1)])
def test_deletion_deletes_the_given_share_of_words(rate, left):
    assert len(augcse_random_deletion(TEN, rate=rate, rng=Random(3)).split()) == left


def test_deletion_deletes_at_most_thirty_words():
    assert len(augcse_random_deletion(" ".join(map(str, range(100))), rng=Random(0)).split()) == 70
    assert len(augcse_random_deletion(" ".join(map(str, range(100))), most=5, rng=Random(0)).split()) == 95


def test_crop_and_swap_change_at_most_thirty_words_too():
    words = [str(number) for number in range(1000)]
    text = " ".join(words)
    assert len(augcse_random_crop(text, rng=Random(0)).split()) == 970
    assert len(augcse_random_crop(text, most=5, rng=Random(0)).split()) == 995
    for method, seeds in ((augcse_random_swap, [0]), (augcse_random_word_augmentation, range(12))):
        swapped = [method(text, rng=Random(seed)).split() for seed in seeds]
        moved = {
            sum(a != b for a, b in zip(words, after, strict=True)) for after in swapped if len(after) == len(words)
        }
        assert moved == {60}


def test_deletion_works_on_characters_of_chinese():
    result = augcse_random_deletion("今天天气很好", rate=0.5, rng=Random(0))
    assert len(result) == 3 and is_subsequence(result, "今天天气很好")


def test_deletion_may_keep_only_locked_words():
    assert augcse_random_deletion("\ue000 a \ue001 b", rate=1.0, rng=Random(0)) == "\ue000 \ue001"


@given(seed=SEEDS, rate=RATES)
@settings(max_examples=60)
def test_swap_keeps_the_words_and_moves_each_by_one_position(seed, rate):
    before, after = TEN.split(), augcse_random_swap(TEN, rate=rate, rng=Random(seed)).split()
    assert Counter(before) == Counter(after)
    assert all(abs(after.index(word) - place) <= 1 for place, word in enumerate(before))


@pytest.mark.parametrize(("rate", "moved"), [(0.0, 0), (0.1, 2), (0.2, 4), (0.05, 2)])
def test_swap_makes_the_given_number_of_swaps(rate, moved):
    after = augcse_random_swap(TEN, rate=rate, rng=Random(1)).split()
    assert sum(a != b for a, b in zip(TEN.split(), after, strict=True)) == moved


@given(seed=SEEDS)
@settings(max_examples=30)
def test_a_higher_rate_adds_swaps_to_the_same_ones(seed):
    def moved(rate):
        after = augcse_random_swap(TEN, rate=rate, rng=Random(seed)).split()
        return {place for place, word in enumerate(after) if word != TEN.split()[place]}

    assert moved(0.1) <= moved(0.2) <= moved(0.4)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("all dogs", "dogs all"),
        ("go go", "go go"),
        ("a a b", "a b a"),
        ("好天", "天好"),
        ("\ue000 is", "is \ue000"),
        ("a", "a"),
    ],
)
def test_swaps(text, result):
    assert augcse_random_swap(text, rng=Random(0)) == result


def test_word_augmentation_swaps_deletes_and_crops():
    text = " ".join(f"w{place}" for place in range(20))
    results = [augcse_random_word_augmentation(text, rng=Random(seed)).split() for seed in range(300)]
    swapped = [result for result in results if len(result) == 20]
    shorter = [result for result in results if len(result) == 17]
    assert len(swapped) + len(shorter) == 300 and 70 < len(swapped) < 130

    def runs(result):
        gone = [place for place in range(20) if f"w{place}" not in result]
        return sum(b - a > 1 for a, b in pairwise(gone)) + 1

    assert 70 < sum(runs(result) == 1 for result in shorter) < 150
    assert all(is_subsequence(result, text.split()) for result in shorter)
    assert augcse_random_word_augmentation(text, rate=0.0, rng=Random(0)) == text


@given(seed=SEEDS, rate=RATES, text=LINES)
@settings(max_examples=60)
def test_word_augmentation_adds_no_words(seed, rate, text):
    result = augcse_random_word_augmentation(text, rate=rate, rng=Random(seed))
    assert not Counter(result.replace(" ", "")) - Counter(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Dr. Smith came. Who called? I did.", ["Dr. Smith came.", "Who called?", "I did."]),
        ("It cost 3.5 euros. Cheap!", ["It cost 3.5 euros.", "Cheap!"]),
        ("J. S. Bach wrote it.", ["J. S. Bach wrote it."]),
        ('"Go!" She went.', ['"Go!"', "She went."]),
        ("e.g. this one", ["e.g. this one"]),
        ("今天好。明天呢？", ["今天好。", "明天呢？"]),
        ("It works. \ue000 too.", ["It works.", "\ue000 too."]),
        ("no end", ["no end"]),
        ("The U.S. Navy came. It left.", ["The U.S. Navy came.", "It left."]),
        ("He lives in the U.S. She does not.", ["He lives in the U.S.", "She does not."]),
        ("John (c. 1450) was here.", ["John (c. 1450) was here."]),
        ("Gov. James saw A.C. Milan at No. 5.", ["Gov. James saw A.C. Milan at No. 5."]),
        ("It was Rules, Inc. (TSR).", ["It was Rules, Inc. (TSR)."]),
        ("He ate pies, etc. Then he slept.", ["He ate pies, etc.", "Then he slept."]),
        ("He said no. Nobody came.", ["He said no.", "Nobody came."]),
        ("Wait... what? Yes.", ["Wait... what?", "Yes."]),
        ('He said "Go. Now." and left. We stayed.', ['He said "Go. Now." and left.', "We stayed."]),
        ('"Go! Now!" She went. "Why?" He ran.', ['"Go! Now!"', "She went.", '"Why?"', "He ran."]),
        ('A 5" pipe. A 6" pipe.', ['A 5" pipe.', 'A 6" pipe.']),
        ('He said "Go. She went. We stayed.', ['He said "Go.', "She went.", "We stayed."]),
        ("‘Don’t. Go.’ She went.", ["‘Don’t. Go.’", "She went."]),
        ("Il dit « Va. Pars. » Elle part.", ["Il dit « Va. Pars. » Elle part."]),
        ("„Geh. Jetzt.“ Er ging.", ["„Geh. Jetzt.“ Er ging."]),
        ("她说「走。快。」我来了。", ["她说「走。快。」", "我来了。"]),
    ],
)
def test_sentences(text, parts):
    assert sentences(text) == parts


@given(parts=st.lists(st.sampled_from(["It rained.", "Who came?", "Nobody!", "We stayed in."]), max_size=5), seed=SEEDS)
@settings(max_examples=60)
def test_reordering_keeps_the_sentences_and_changes_their_order(parts, seed):
    text = " ".join(parts)
    result = augcse_sentence_reordering(text, rng=Random(seed))
    assert Counter(sentences(result)) == Counter(sentences(text))
    assert (result != text) == (len(set(parts)) > 1)


def test_a_single_sentence_stays_and_chinese_is_joined_without_a_space():
    assert augcse_sentence_reordering("Only one.", rng=Random(0)) == "Only one."
    assert augcse_sentence_reordering("今天好。明天呢？", rng=Random(0)) == "明天呢？今天好。"


@pytest.mark.parametrize("method", [augcse_random_crop, augcse_random_deletion])
@pytest.mark.parametrize("rate", [0.05, 0.6, 1.0])
def test_of_two_words_either_stays(method, rate):
    assert {method("one two", rate=rate, rng=Random(seed)) for seed in range(40)} == {"one", "two"}
    assert (
        method("one two", rate=0.0, rng=Random(0)) == "one two" and method(" one ", rate=rate, rng=Random(0)) == "one"
    )
