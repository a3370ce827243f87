"""AugCSE's random contextual words: a masked language model inserts or substitutes, drawn for each text."""

from collections.abc import Sequence
from random import Random
from typing import Annotated

from workbench.augmentations.models._edits import MODES, Most, Rate
from workbench.augmentations.models._filler import Filler, filled, missing, prepare
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._words import english
from workbench.core.method import Knob, Method


def augcse_random_contextual_word_augmentation(
    resource: Filler,
    texts: Sequence[str],
    *,
    rate: Rate = 0.3,
    top: Annotated[int, Knob(1, 200, 1, "Words are drawn by probability from so many most probable ones.")] = 100,
    most: Most = 10,
    rngs: Sequence[Random],
) -> list[str]:
    """`contextual_word` in one of its two modes, drawn evenly for each text, with the defaults of the published code.

    Those are nlpaug's: 100 most probable words, at least 1 and at most 10 words a text. Its replacement may be part of a word;
    here it is always a whole one.
    """
    modes = [MODES[int(rng.random() * 2)] for rng in rngs]
    given = [text if english(text) else "" for text in texts]
    made = filled(resource, given, modes=modes, rate=rate, top=top, most=most, rngs=rngs)
    return [new or normalised(text) for new, text in zip(made, texts, strict=True)]


METHOD = Method(
    augcse_random_contextual_word_augmentation,
    title="Random contextual words",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    prepare=prepare,
    missing=missing,
    tags={
        "class": "possible",
        "role": "positive",
        "language": "english",
        "alias": "RandomContextualWordAugmentation",
        "table": "augcse",
    },
)
