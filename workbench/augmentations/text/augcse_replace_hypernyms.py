"""AugCSE's hypernyms: one noun becomes a more general one."""

from random import Random

from workbench.augmentations.text._nouns import Senses, noun_replaced
from workbench.augmentations.wordnet import Lexicon, lexicon, missing
from workbench.core.method import Method


def augcse_replace_hypernyms(
    wordnet: Lexicon,
    text: str,
    *,
    senses: Senses = 1,
    rng: Random,
) -> str:
    """`text` with one noun replaced, at every mention, by a word one step up in WordNet: a more general one.

    A noun and its plural count as two: of "dogs" and "dog" one is replaced, and a plural stays a plural. Only whole words
    are replaced. The published code also replaces letters inside
    other words, uses all meanings and lets a language model choose.

    Prefer it over `augcse_replace_hyponyms` when the new text should say less than the old one ("canine" for "dog"),
    not more.

    >>> from unittest.mock import Mock
    >>> wordnet = Mock(hypernyms=lambda word, senses: ("canine",))
    >>> augcse_replace_hypernyms(wordnet, "The dogs bark.", rng=Random(0))
    'The canines bark.'
    """
    return noun_replaced(text, wordnet, lambda noun: wordnet.hypernyms(noun, senses), rng)


METHOD = Method(
    augcse_replace_hypernyms,
    title="One noun, more general",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    prepare=lexicon,
    missing=missing,
    tags={
        "class": "meaning_alteration",
        "role": "negative",
        "language": "english",
        "alias": "ReplaceHypernyms",
        "table": "augcse",
    },
)
