"""AugCSE's random word augmentation: a light swap, deletion or crop, chosen at random."""

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
    rate: Annotated[float, Knob(0.0, 1.0, 0.05, "Share of the words swapped or deleted.")] = 0.15,
    most: Annotated[int, Knob(1, 1000, 1, "At most this many swaps or deleted words.")] = 30,
    rng: Random,
) -> str:
    """`text` with neighbours swapped, with words deleted anywhere, or with one run of words deleted: one of the three at random.

    Each is equally likely, and by default edits 15 percent of the words.

    Prefer it over `augcse_random_swap`, `augcse_random_deletion` and `augcse_random_crop` when a corpus should get a
    mix of the three, or when few words should change; the last two delete 60 percent by default.

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
