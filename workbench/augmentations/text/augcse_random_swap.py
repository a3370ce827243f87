"""AugCSE's random swap: neighbouring words change places."""

from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import edit_count, normalised, shuffled
from workbench.augmentations.text._words import joined, words
from workbench.core.method import Knob, Method


def augcse_random_swap(
    text: str,
    *,
    rate: Annotated[float, Knob(0.0, 1.0, 0.05, "Swaps per word of the text; at least one unless 0.")] = 0.1,
    most: Annotated[int, Knob(1, 1000, 1, "At most this many swaps.")] = 30,
    rng: Random,
) -> str:
    """`text` with pairs of neighbouring words swapped. No word moves twice, so there are at most half as many swaps as words.

    Two equal neighbours do not count as a pair, so a text with at least two different words always changes.

    Prefer it over `eda_swap` when words should stay close to where they were, or when every text must change.

    >>> augcse_random_swap("all dogs", rng=Random(0))
    'dogs all'
    """
    units = words(text)
    if len(units) < 2 or rate <= 0:
        return normalised(text)
    left = min(edit_count(rate, len(units)), most)
    moved = [False] * len(units)
    for place in shuffled(range(len(units) - 1), rng):
        if left == 0:
            break
        if not (moved[place] or moved[place + 1]) and units[place].strip() != units[place + 1].strip():
            units[place], units[place + 1] = units[place + 1], units[place]
            moved[place] = moved[place + 1] = True
            left -= 1
    return joined(units, text)


METHOD = Method(
    augcse_random_swap,
    title="Swap neighbouring words",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    tags={
        "class": "possible",
        "role": "positive",
        "language": "any",
        "alias": "RandomSwap",
        "table": "augcse",
        "pools": "augcse_4 augcse_12",
    },
)
