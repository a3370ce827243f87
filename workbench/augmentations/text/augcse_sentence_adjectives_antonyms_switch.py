"""AugCSE's switch of adjectives: each becomes its opposite."""

from random import Random

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._inflect import in_case, inflected
from workbench.augmentations.text._tags import tagged_tokens
from workbench.augmentations.text._words import english, tokens
from workbench.augmentations.wordnet import ADJECTIVE, Lexicon, lexicon, missing
from workbench.core.method import Method


def augcse_sentence_adjectives_antonyms_switch(wordnet: Lexicon, text: str, *, rng: Random) -> str:
    """`text` with each adjective replaced by the first antonym of the first word of its commonest WordNet meaning.

    Nothing is drawn: every draw of a text is the same. Adjectives without such an antonym stay.

    >>> from unittest.mock import Mock
    >>> wordnet = Mock(antonym=lambda word, pos: "small", base=lambda word, pos: "big")
    >>> augcse_sentence_adjectives_antonyms_switch(wordnet, "A bigger dog.", rng=Random(0))
    'A smaller dog.'
    """
    clean = normalised(text)
    if not english(clean):
        return clean
    parts = tokens(clean)
    for word, tag, place in tagged_tokens(parts):
        if tag == "ADJ":
            low = word.lower()
            # A compared adjective has no antonym of its own.
            base = wordnet.base(low, ADJECTIVE)
            if new := wordnet.antonym(low, ADJECTIVE) or (base != low and wordnet.antonym(base, ADJECTIVE)) or "":
                parts[place] = in_case(word, inflected(new, low, base, ADJECTIVE))
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
