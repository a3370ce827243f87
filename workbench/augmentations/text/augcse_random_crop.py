"""AugCSE's random crop: one run of words is deleted."""

from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import edit_count, normalised
from workbench.augmentations.text._spans import free_runs
from workbench.augmentations.text._words import joined, words
from workbench.core.method import Knob, Method


def augcse_random_crop(
    text: str,
    *,
    rate: Annotated[float, Knob(0.0, 1.0, 0.05, "Share of the words in the run that is deleted.")] = 0.6,
    most: Annotated[int, Knob(1, 1000, 1, "At most this many words are deleted.")] = 30,
    rng: Random,
) -> str:
    """`text` without one run of neighbouring words. At least one word stays, so a single word comes back unchanged.

    A run never includes a locked word (a protected term), so it may be shorter than asked for.

    Prefer it over `augcse_random_deletion` when the words that are left should keep their neighbours: the text has one
    gap instead of many.

    >>> augcse_random_crop("one two three four", rate=0.5, rng=Random(1))
    'three four'
    """
    units = words(text)
    if len(units) < 2:
        return normalised(text)
    free = free_runs(units)
    length = min(edit_count(rate, len(units)), most, len(units) - 1, max(free))
    starts = [place for place, run in enumerate(free) if run >= length]
    start = starts[int(rng.random() * len(starts))] if length else 0
    return joined(units[:start] + units[start + length :], text)


METHOD = Method(
    augcse_random_crop,
    title="Crop a run of words",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    tags={"class": "possible", "role": "positive", "language": "any", "alias": "RandomCrop", "table": "augcse"},
)
