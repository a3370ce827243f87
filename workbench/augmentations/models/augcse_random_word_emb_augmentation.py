"""AugCSE's random word embedding augmentation: GloVe neighbours inserted or substituted, drawn for each text."""

from collections.abc import Sequence
from random import Random
from typing import Annotated

from workbench.augmentations.models._edits import MODES, Most, Rate
from workbench.augmentations.models._nearest import neighboured, prepare
from workbench.augmentations.static_vectors import StaticVectors, missing
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._words import english
from workbench.core.method import Knob, Method


def augcse_random_word_emb_augmentation(
    resource: StaticVectors,
    texts: Sequence[str],
    *,
    rate: Rate = 0.3,
    top: Annotated[int, Knob(1, 200, 1, "One of so many nearest words is drawn, evenly.")] = 100,
    most: Most = 10,
    rngs: Sequence[Random],
) -> list[str]:
    """`embedding_word` in one of its two modes, drawn evenly for each text, with the defaults of the published code.

    Those are nlpaug's: one of 100 neighbours, at least 1 and at most 10 words a text. It inserts any word of the vocabulary;
    here, as AugCSE describes it, what is inserted is a neighbour too.
    """
    modes = [MODES[int(rng.random() * 2)] for rng in rngs]
    given = [text if english(text) else "" for text in texts]
    made = neighboured(resource, given, modes=modes, rate=rate, top=top, most=most, rngs=rngs)
    return [new or normalised(text) for new, text in zip(made, texts, strict=True)]


METHOD = Method(
    augcse_random_word_emb_augmentation,
    title="Random neighbouring words",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    prepare=prepare,
    missing=missing,
    tags={
        "class": "possible",
        "role": "positive",
        "language": "english",
        "alias": "RandomWordEmbAugmentation",
        "table": "augcse",
    },
)
