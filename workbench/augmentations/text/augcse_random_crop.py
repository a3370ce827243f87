"""AugCSE's random crop: one run of words goes."""

from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import edit_count, normalised, window
from workbench.core.method import Knob, Method


def augcse_random_crop(
    text: str,
    *,
    rate: Annotated[float, Knob(0.0, 1.0, 0.05, "Share of the words in the run that goes.")] = 0.6,
    rng: Random,
) -> str:
    """`text` less one run of neighbouring words. One word always stays; a single word stays as it is.

    >>> augcse_random_crop("one two three four", rate=0.5, rng=Random(1))
    'three four'
    """
    words = normalised(text).split(" ")
    if len(words) < 2:
        return words[0]
    length = min(edit_count(rate, len(words)), len(words) - 1)
    start = window(length, len(words), rng)
    return " ".join(words[:start] + words[start + length :])


METHOD = Method(
    augcse_random_crop,
    title="Crop a run of words",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    tags={"class": "possible", "role": "positive", "alias": "RandomCrop"},
)
