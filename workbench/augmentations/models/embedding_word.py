"""Neighbours in a space of word vectors: in place of words, or between them."""

from collections.abc import Sequence
from random import Random

from workbench.augmentations.models._edits import ModeSetting, Most, Rate
from workbench.augmentations.models._nearest import Top, neighboured, prepare
from workbench.augmentations.static_vectors import StaticVectors, missing
from workbench.core.method import Method


def embedding_word(
    resource: StaticVectors,
    texts: Sequence[str],
    *,
    mode: ModeSetting = "substitute",
    rate: Rate = 0.3,
    top: Top = 10,
    most: Most = 10,
    rngs: Sequence[Random],
) -> list[str]:
    """Each text with `rate` of its words (at least one) replaced by near words, or with near words of some of them inserted.

    Near means a high cosine of static vectors, which antonyms have too. Words without a vector are not changed, a replacement
    takes over the capitals, and nothing is inserted before the first word. A higher rate continues the edits of a lower one.

    Prefer it over `contextual_word` for speed, since it runs no model, and for words related to the ones they replace; they may
    not fit the sentence.
    """
    modes = [mode] * len(texts)
    return neighboured(resource, texts, modes=modes, rate=rate, top=top, most=most, rngs=rngs)


METHOD = Method(
    embedding_word,
    title="Neighbouring words",
    source="Wang and Yang 2015, D15-1306; GloVe, Pennington et al. 2014, D14-1162",
    prepare=prepare,
    missing=missing,
    tags={"class": "possible", "role": "positive", "language": "any"},
)
