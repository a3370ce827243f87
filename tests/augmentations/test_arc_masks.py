"""Nested masks: exact counts, one inside the other, locked words skipped."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.augmentations.draw import draw
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text.arc_masks import arc_masks

SEEDS = st.integers(0, 10_000)
MASK = "[MASK]"


def covered(before, after):
    """Indices of the masks; every other word must be where it was."""
    old, new = before.split(), after.split()
    assert len(old) == len(new)
    found = {place for place, (a, b) in enumerate(zip(old, new, strict=True)) if a != b}
    assert all(new[place] == MASK for place in found)
    return found


def one_run(places):
    return places == set(range(min(places), max(places) + 1))


@given(count=st.integers(5, 60), seed=SEEDS)
@settings(max_examples=200)
def test_a_fifth_then_two_fifths_nested(count, seed):
    text = " ".join(f"w{place}" for place in range(count))
    small, large = (covered(text, part) for part in arc_masks(text, rng=Random(seed)))
    assert len(small) == max(1, round(0.2 * count)) and len(large) == max(1, round(0.4 * count))
    assert small < large
    assert one_run(small) and one_run(large)
    # It grows to the right, and to the left only once it reaches the end.
    assert min(large) == min(small) or max(large) == count - 1


@pytest.mark.parametrize(("count", "first", "second"), [(5, 1, 2), (10, 2, 4), (12, 2, 5), (23, 5, 9), (100, 20, 40)])
def test_numbers_of_masks(count, first, second):
    text = " ".join(["word"] * count)
    small, large = arc_masks(text, rng=Random(1))
    assert (small.count(MASK), large.count(MASK)) == (first, second)


@given(
    count=st.integers(5, 30),
    keep=st.floats(0.2, 0.95),
    less=st.floats(0.05, 0.75),
    seed=SEEDS,
)
@settings(max_examples=200)
def test_any_rates_nest_and_leave_a_word(count, keep, less, seed):
    text = " ".join(f"w{place}" for place in range(count))
    small, large = (covered(text, part) for part in arc_masks(text, keep=keep, less=less, rng=Random(seed)))
    assert small and small < large and len(large) < count


def test_the_run_starts_anywhere():
    text = "a b c d e f g h i j"
    starts = [min(covered(text, arc_masks(text, rng=Random(seed))[0])) for seed in range(900)]
    assert set(starts) == set(range(9))
    assert min(map(starts.count, range(9))) > 60


@pytest.mark.parametrize("text", ["", " ", "one", "one  two three\tfour", "👩‍👩‍👧 🎉", "今天天气"])
def test_short_texts_come_back_twice(text):
    assert arc_masks(text, rng=Random(0)) == (normalised(text), normalised(text))


def test_chinese_is_masked_by_characters():
    text = "今天天气很好我们去玩"
    small, large = arc_masks(text, mask="_", rng=Random(3))
    assert (small.count("_"), large.count("_"), len(small), len(large)) == (2, 4, 10, 10)


@given(seed=SEEDS, places=st.lists(st.integers(0, 9), min_size=1, max_size=10, unique=True))
@settings(max_examples=100)
def test_locked_words_count_and_stay(seed, places):
    words = [f"w{place}" for place in range(10)]
    for place in places:
        words[place] = f"{chr(0xE000 + place)},"
    text = " ".join(words)
    small, large = (covered(text, part) for part in arc_masks(text, rng=Random(seed)))
    assert not (small | large) & set(places)
    free = 10 - len(places)
    if free < 2:
        assert not small and not large
        return
    assert small < large and len(large) == min(4, free) and len(small) == min(2, len(large) - 1)
    between = set(range(min(large), max(large) + 1)) - large
    assert between <= set(places)


def test_other_mask_texts():
    text = "one two three four five"
    assert arc_masks(text, mask="<mask>", rng=Random(0))[0].count("<mask>") == 1
    small, large = arc_masks(text, mask="", rng=Random(0))
    assert (len(small.split()), len(large.split())) == (4, 3)


@given(text=st.text(max_size=80), seed=SEEDS)
@settings(max_examples=150)
def test_any_text(text, seed):
    for part in arc_masks(text, rng=Random(seed)):
        assert part == normalised(part)
        assert bool(part) == bool(text.strip())


def test_a_pipeline_takes_either_part():
    text = "one two three four five"
    first, second = (draw(name, text, seed=0) for name in ("arc_masks", "arc_masks[1]"))
    assert (first.text.count(MASK), second.text.count(MASK)) == (1, 2)
    assert first.changed and second.changed
