"""Words without their vowels, as in a hasty note."""

from random import Random
from typing import Annotated

from workbench.core.method import Knob, Method


def vowel_noise(
    text: str,
    *,
    rate: Annotated[float, Knob(0.0, 1.0, 0.05, "The chance of a word to be written without its inner vowels.")] = 0.2,
    rng: Random,
) -> str:
    """The text with some words shortened to their consonants; first and last letters stay.

    Words of fewer than four letters and protected ones are left as they are.

    >>> vowel_noise("The brown fox", rate=1.0, rng=Random(0))
    'The brwn fox'
    """
    from workbench.augmentations.text import locked, normalised

    return " ".join(
        word if rng.random() >= rate or len(word) < 4 or locked(word) else word[0] + _consonants(word[1:-1]) + word[-1]
        for word in normalised(text).split(" ")
    )


def _consonants(letters: str) -> str:
    return "".join(letter for letter in letters if letter not in "aeiouAEIOU")


METHOD = Method(
    vowel_noise,
    title="Without vowels",
    source="This package: an example.",
    tags={"class": "preserving", "role": "positive", "language": "english"},
)
