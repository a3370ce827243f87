"""AugCSE's random contextual words: a masked language model inserts or substitutes, drawn per text."""

from collections.abc import Sequence
from functools import partial
from random import Random

from workbench.augmentations.models._edits import Most, Rate, in_either_mode
from workbench.augmentations.models._filler import Filler, Top, filled, missing, prepare
from workbench.core.method import Method


def augcse_random_contextual_word_augmentation(
    resource: Filler,
    texts: Sequence[str],
    *,
    rate: Rate = 0.3,
    top: Top = 100,
    most: Most = 10,
    rngs: Sequence[Random],
) -> list[str]:
    """`contextual_word` in one of its two modes, drawn evenly for each text, with the defaults of the published code.

    Those are nlpaug's: the 100 most probable words, at least 1 and at most 10 words per text. The published model is a
    DistilBERT; here it is mini-mlm unless another is named. A published replacement may be part of a word; here it is always a
    whole one. Texts without a Latin letter are returned unchanged.

    Prefer `contextual_word` to choose the mode; use this one to reproduce AugCSE.
    """
    return in_either_mode(partial(filled, resource, rate=rate, top=top, most=most), texts, rngs)


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
