"""AugCSE's antonym substitution: adjectives and adverbs become their opposites, an odd number of them."""

from random import Random

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._inflect import in_case, inflected, uncompared
from workbench.augmentations.text._tags import is_measured, tagged_tokens
from workbench.augmentations.text._tokens import is_plain, put_article_right
from workbench.augmentations.text._words import english, tokens
from workbench.augmentations.wordnet import ADJECTIVE, ADVERB, Lexicon, lexicon, missing
from workbench.core.method import Method

_PARTS = {"ADJ": ADJECTIVE, "ADV": ADVERB}


def augcse_antonym_substitute(wordnet: Lexicon, text: str, *, rng: Random) -> str:
    """`text` with every adjective and adverb that has a WordNet antonym replaced by it, if that changes an odd number of words.

    The antonym is drawn from those of the word's most common meaning, and "a" or "an" before it is corrected. An
    even number of opposites may restore the meaning ("not bad, not good"), so such texts stay unchanged.

    Prefer it over `augcse_sentence_adjectives_antonyms_switch` when adverbs should change too, or when two opposites
    must not cancel each other out; that one also changes texts with an even number of adjectives, and always in the
    same way.

    >>> from unittest.mock import Mock
    >>> wordnet = Mock(antonyms=lambda word, pos: ("small",), mainly_noun=lambda word: False)
    >>> augcse_antonym_substitute(wordnet, "A big dog.", rng=Random(0))
    'A small dog.'
    """
    clean = normalised(text)
    if not english(clean):
        return clean
    parts = tokens(clean)
    changes = 0
    words = tagged_tokens(parts)
    for index, (word, tag, place) in enumerate(words):
        if tag not in _PARTS or not is_plain(parts, place) or is_measured(words, index):
            continue
        low, pos = word.lower(), _PARTS[tag]
        base = uncompared(low, tag)
        if not wordnet.mainly_noun(base) and (options := wordnet.antonyms(base, pos)):
            new = inflected(options[int(rng.random() * len(options))], low, base, pos)
            parts[place] = in_case(word, new)
            put_article_right(parts, place)
            changes += new != low
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
