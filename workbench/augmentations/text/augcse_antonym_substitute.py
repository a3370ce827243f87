"""AugCSE's antonym substitution: adjectives and adverbs turn into their opposites, an odd number of them."""

from random import Random

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._inflect import in_case, inflected
from workbench.augmentations.text._tags import tagged_tokens
from workbench.augmentations.text._words import english, tokens
from workbench.augmentations.wordnet import ADJECTIVE, ADVERB, Lexicon, lexicon, missing
from workbench.core.method import Method

_PARTS = {"ADJ": ADJECTIVE, "ADV": ADVERB}


def augcse_antonym_substitute(wordnet: Lexicon, text: str, *, rng: Random) -> str:
    """`text` with every adjective and adverb that has a WordNet antonym replaced by one, if they are odd in number.

    An even number of opposites may bring the meaning back ("not bad, not good"), so such texts stay as they are.

    >>> from unittest.mock import Mock
    >>> wordnet = Mock(antonyms=lambda word, pos: ("small",), base=lambda word, pos: word)
    >>> augcse_antonym_substitute(wordnet, "A big dog.", rng=Random(0))
    'A small dog.'
    """
    clean = normalised(text)
    if not english(clean):
        return clean
    parts = tokens(clean)
    changes = 0
    for word, tag, place in tagged_tokens(parts):
        if tag in _PARTS and (options := wordnet.antonyms(word, _PARTS[tag])):
            low, pos = word.lower(), _PARTS[tag]
            new = options[int(rng.random() * len(options))]
            parts[place] = in_case(word, inflected(new, low, wordnet.base(low, pos), pos))
            changes += 1
    return normalised("".join(parts)) if changes % 2 else clean


METHOD = Method(
    augcse_antonym_substitute,
    title="An odd number of opposites",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    prepare=lexicon,
    missing=missing,
    tags={
        "class": "meaning_alteration",
        "role": "negative",
        "language": "english",
        "alias": "AntonymSubstitute AntonymsSubstitute",
        "table": "augcse",
    },
)
