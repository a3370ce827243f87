"""AugCSE's random deletion: more than half of the words are deleted."""

from itertools import islice
from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import edit_count, normalised, shuffled
from workbench.augmentations.text._words import joined, locked, words
from workbench.core.method import Knob, Method


def augcse_random_deletion(
    text: str,
    *,
    rate: Annotated[float, Knob(0.0, 1.0, 0.05, "Share of the words deleted.")] = 0.6,
    most: Annotated[int, Knob(1, 1000, 1, "At most this many words are deleted.")] = 30,
    rng: Random,
) -> str:
    """`text` without a share of its words, chosen anywhere. At least one word stays, so a single word comes back unchanged.

    The number of words deleted is the share rounded down, but at least one unless the rate is 0.

    Prefer it over `eda_delete` when most words should go and their number must not depend on chance; prefer
    `clear_word_deletion` when the gaps should be visible to the model.

    >>> augcse_random_deletion("one two three four", rate=0.5, rng=Random(1))
    'two three'
    """
    units = words(text)
    if len(units) < 2 or rate <= 0:
        return normalised(text)
    count = min(edit_count(rate, len(units)), most, len(units) - 1)
    free = [place for place, unit in enumerate(units) if not locked(unit)]
    gone = set(islice(shuffled(free, rng), count))
    return joined([unit for place, unit in enumerate(units) if place not in gone], text)


METHOD = Method(
    augcse_random_deletion,
    title="Delete most words",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    tags={
        "class": "possible",
        "role": "positive",
        "language": "any",
        "alias": "RandomDeletion",
        "table": "augcse",
    },
)
