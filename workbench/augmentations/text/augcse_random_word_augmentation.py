"""AugCSE's random word augmentation: a light swap, deletion or crop, as chance has it."""

from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import edit_count, normalised, window
from workbench.augmentations.text._words import joined, locked, words
from workbench.augmentations.text.augcse_random_deletion import augcse_random_deletion
from workbench.augmentations.text.augcse_random_swap import augcse_random_swap
from workbench.core.method import Knob, Method


def augcse_random_word_augmentation(
    text: str,
    *,
    rate: Annotated[float, Knob(0.0, 1.0, 0.05, "Share of the words that are swapped, or go.")] = 0.15,
    most: Annotated[int, Knob(1, 1000, 1, "No more words than this go, or swaps than this.")] = 30,
    rng: Random,
) -> str:
    """`text` with neighbours swapped, with words deleted anywhere, or with one run of words cropped: a third each.

    >>> [augcse_random_word_augmentation("one two three", rng=Random(seed)) for seed in (1, 2, 5)]
    ['one three two', 'one two', 'one two']
    """
    action = int(rng.random() * 3)
    if action == 0:
        return augcse_random_swap(text, rate=rate, most=most, rng=rng)
    if action == 1:
        return augcse_random_deletion(text, rate=rate, most=most, rng=rng)
    units = words(text)
    length = min(edit_count(rate, len(units)), most, len(units) - 1)
    if length < 1:
        return normalised(text)
    start = window(length, len(units), rng)
    kept = [unit for place, unit in enumerate(units) if not start <= place < start + length or locked(unit)]
    return joined(kept, text)


METHOD = Method(
    augcse_random_word_augmentation,
    title="Swap, delete or crop a few words",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    tags={
        "class": "possible",
        "role": "positive",
        "language": "any",
        "alias": "RandomWordAugmentation",
        "table": "augcse",
    },
)
