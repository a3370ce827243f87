"""AugCSE's switch of adjectives: each becomes its opposite."""

from random import Random

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._inflect import in_case, inflected, uncompared
from workbench.augmentations.text._tags import is_measured, tagged_tokens
from workbench.augmentations.text._tokens import is_plain, put_article_right
from workbench.augmentations.text._words import english, tokens
from workbench.augmentations.wordnet import ADJECTIVE, Lexicon, lexicon, missing
from workbench.core.method import Method


def augcse_sentence_adjectives_antonyms_switch(wordnet: Lexicon, text: str, *, rng: Random) -> str:
    """`text` with each adjective replaced by the first antonym of the first word of its most common WordNet meaning.

    Every draw gives the same text. Adjectives without such an antonym stay, and so do measures ("ten years old").
    "A" or "an" before a replacement is corrected.

    Prefer it over `augcse_antonym_substitute` when adverbs should stay, or when texts with an even number of adjectives
    should change as well.

    >>> from unittest.mock import Mock
    >>> wordnet = Mock(antonym=lambda word, pos: "small", mainly_noun=lambda word: False)
    >>> augcse_sentence_adjectives_antonyms_switch(wordnet, "A bigger dog.", rng=Random(0))
    'A smaller dog.'
    """
    clean = normalised(text)
    if not english(clean):
        return clean
    parts = tokens(clean)
    words = tagged_tokens(parts)
    for index, (word, tag, place) in enumerate(words):
        if tag == "ADJ" and is_plain(parts, place) and not is_measured(words, index):
            low = word.lower()
            base = uncompared(low, tag)  # comparatives and superlatives are not listed with antonyms
            if not wordnet.mainly_noun(base) and (new := wordnet.antonym(base, ADJECTIVE)):
                parts[place] = in_case(word, inflected(new, low, base, ADJECTIVE))
                put_article_right(parts, place)
    return normalised("".join(parts))


METHOD = Method(
    augcse_sentence_adjectives_antonyms_switch,
    title="Opposite adjectives",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    prepare=lexicon,
    missing=missing,
    tags={
        "class": "meaning_alteration",
        "role": "negative",
        "language": "english",
        "alias": "SentenceAdjectivesAntonymsSwitch",
        "table": "augcse",
        "pools": "augcse_12",
    },
)
