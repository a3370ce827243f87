"""Words that a masked language model predicts: in place of old ones, or between them."""

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
    """Each text with `rate` of its words (at least one) replaced or added by a masked language model.

    Whole words only: never the word that was there or, when inserting, one of its neighbours; never a special token, a
    punctuation mark, a number or a part of a word. Words are filled one after the other, so each prediction sees earlier ones,
    and a higher rate continues the edits of a lower one. A replacement takes over the capitals; nothing is inserted before the
    first word. The model sees at most 128 tokens around a position. In Chinese and Japanese a word is a character; Thai, Lao,
    Tibetan, Burmese and Khmer, which do not separate words, are not changed.

    Prefer it over `embedding_word` for words that fit their context; they may change the meaning, since a masked language model
    does not know what was there. It needs one forward pass per word.
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
