"""AugCSE's random word embedding augmentation: GloVe neighbours inserted or substituted, drawn per text."""

from collections.abc import Sequence
from functools import partial
from random import Random

from workbench.augmentations.models._edits import Most, Rate, in_either_mode
from workbench.augmentations.models._nearest import Top, neighboured, prepare
from workbench.augmentations.static_vectors import StaticVectors, missing
from workbench.core.method import Method


def augcse_random_word_emb_augmentation(
    resource: StaticVectors,
    texts: Sequence[str],
    *,
    rate: Rate = 0.3,
    top: Top = 100,
    most: Most = 10,
    rngs: Sequence[Random],
) -> list[str]:
    """`embedding_word` in one of its two modes, drawn evenly for each text, with the defaults of the published code.

    Those are nlpaug's: one of 100 neighbours, at least 1 and at most 10 words per text. It inserts any word of the vocabulary;
    here, as AugCSE describes it, an inserted word is a neighbour too. Texts without a Latin letter are returned unchanged.

    Prefer `embedding_word` to choose the mode; use this one to reproduce AugCSE.
    """
    return in_either_mode(partial(neighboured, resource, rate=rate, top=top, most=most), texts, rngs)


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
