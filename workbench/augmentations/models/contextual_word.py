"""Words that a masked language model would write: in the place of old ones, or between them."""

from collections.abc import Sequence
from random import Random

from workbench.augmentations.models._edits import ModeSetting, Most, Rate
from workbench.augmentations.models._filler import Filler, Top, filled, missing, prepare
from workbench.core.method import Method


def contextual_word(
    resource: Filler,
    texts: Sequence[str],
    *,
    mode: ModeSetting = "substitute",
    rate: Rate = 0.3,
    top: Top = 20,
    most: Most = 10,
    rngs: Sequence[Random],
) -> list[str]:
    """Each text with `rate` of its words (at least one) replaced or added, as a masked language model fills the place.

    Whole words only: never the word that stood there or, inserted, one beside the place; never a special token, a sign, a
    number or a part of a word. Words are filled one after the other, so each sees the new ones, and a higher rate goes on
    where a lower one ends. A replacement takes over the capitals; the first place is never inserted at. The model sees at
    most 128 tokens around a place. In Chinese and Japanese a word is a character; Thai, Lao, Tibetan, Burmese and Khmer, where
    nothing parts the words, are not replaced.
    """
    modes = [mode] * len(texts)
    return filled(resource, texts, modes=modes, rate=rate, top=top, most=most, rngs=rngs)


METHOD = Method(
    contextual_word,
    title="Contextual words",
    source="Kobayashi 2018, N18-2072; nlpaug (ContextualWordEmbsAug), as used by AugCSE, arXiv:2210.13749",
    prepare=prepare,
    missing=missing,
    tags={"class": "possible", "role": "positive", "language": "any"},
)
