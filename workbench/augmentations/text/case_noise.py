"""Case noise: some letters change between lower and upper case."""

from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import edit_count, normalised, shuffled
from workbench.augmentations.text._words import locked_places
from workbench.core.method import Knob, Method


def case_noise(
    text: str,
    *,
    rate: Annotated[float, Knob(0.0, 1.0, 0.05, "Share of the letters flipped; at least one unless 0.")] = 0.1,
    rng: Random,
) -> str:
    """`text` with some letters in the other case. Scripts without case stay unchanged.

    An uncased tokenizer removes the change, so the model sees none.

    Prefer it over `typo_noise` when every word must keep its spelling and the tokenizer is cased.

    >>> case_noise("a b", rate=1.0, rng=Random(0))
    'A B'
    """
    clean = normalised(text)
    letters, kept = list(clean), locked_places(clean)
    # Some letters have two in the other case (the German sharp s), which would be a longer edit.
    places = [
        place
        for place, letter in enumerate(letters)
        if (other := letter.swapcase()) != letter and len(other) == 1 and place not in kept
    ]
    for place, _ in zip(shuffled(places, rng), range(edit_count(rate, len(places))), strict=False):
        letters[place] = letters[place].swapcase()
    return "".join(letters)


METHOD = Method(
    case_noise,
    title="Flip the case of letters",
    source="Defined here; character noise as surveyed by Feng et al. 2021, arXiv:2105.03075",
    tags={"class": "preserving", "role": "positive", "language": "any", "note": "no change under an uncased tokenizer"},
)
