"""AugCSE's hyponyms: one noun becomes a more specific one."""

from random import Random

from workbench.augmentations.text._nouns import Senses, noun_replaced
from workbench.augmentations.wordnet import Lexicon, lexicon, missing
from workbench.core.method import Method


def augcse_replace_hyponyms(
    wordnet: Lexicon,
    text: str,
    *,
    senses: Senses = 1,
    rng: Random,
) -> str:
    """`text` with one noun replaced, at every mention, by a word one step down in WordNet: a more specific one.

    A noun and its plural count as two: of "dogs" and "dog" one is replaced, and a plural stays a plural. Only whole words
    are replaced. The published code also replaces letters inside
    other words, uses all meanings and lets a language model choose.

    Prefer it over `augcse_replace_hypernyms` when the new text should add a detail that the old one does not state
    ("poodle" for "dog").

    >>> from unittest.mock import Mock
    >>> wordnet = Mock(hyponyms=lambda word, senses: ("poodle",))
    >>> augcse_replace_hyponyms(wordnet, "The dogs bark.", rng=Random(0))
    'The poodles bark.'
    """
    return noun_replaced(text, wordnet, lambda noun: wordnet.hyponyms(noun, senses), rng)


METHOD = Method(
    augcse_replace_hyponyms,
    title="One noun, more specific",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    prepare=lexicon,
    missing=missing,
    tags={
        "class": "meaning_alteration",
        "role": "negative",
        "language": "english",
        "alias": "ReplaceHyponyms",
        "table": "augcse",
    },
)
