"""AugCSE's synonym substitution: words become the word that WordNet lists first for one of their meanings."""

from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._inflect import in_case, inflected
from workbench.augmentations.text._tags import tagged_tokens
from workbench.augmentations.text._tokens import is_plain, put_article_right
from workbench.augmentations.text._words import english, tokens
from workbench.augmentations.wordnet import ADJECTIVE, ADVERB, NOUN, VERB, Lexicon, lexicon, missing
from workbench.core.method import Knob, Method

_PARTS = {"NOUN": NOUN, "VERB": VERB, "ADJ": ADJECTIVE, "ADV": ADVERB}


def augcse_synonym_substitution(
    wordnet: Lexicon,
    text: str,
    *,
    rate: Annotated[
        float, Knob(0.0, 1.0, 0.05, "Probability that a noun, verb, adjective or adverb is replaced.")
    ] = 0.5,
    rng: Random,
) -> str:
    """`text` with some nouns, verbs, adjectives and adverbs replaced by the first word of one of their WordNet meanings.

    The new word takes the number, tense or degree of the old one; the published code inserts the dictionary form.
    "A" or "an" before it is corrected.

    Prefer it over `eda_synonym` and `clear_substitution` when the new words should be inflected like the old ones;
    those insert dictionary forms.

    >>> from unittest.mock import Mock
    >>> wordnet = Mock(heads=lambda word, pos: ("hound",), base=lambda word, pos: "dog")
    >>> augcse_synonym_substitution(wordnet, "Dogs", rate=1.0, rng=Random(0))
    'Hounds'
    """
    clean = normalised(text)
    if rate <= 0 or not english(clean):
        return clean
    parts = tokens(clean)
    before = ""
    for word, tag, place in tagged_tokens(parts):
        if tag in _PARTS and is_plain(parts, place):
            pos, chance, pick = _PARTS[tag], rng.random(), rng.random()
            if chance < rate and (options := wordnet.heads(word, pos)):
                low = word.lower()
                new = options[int(pick * len(options))]
                parts[place] = in_case(word, inflected(new, low, wordnet.base(low, pos), pos, before == "AUX"))
                put_article_right(parts, place)
        before = tag
    return normalised("".join(parts))


METHOD = Method(
    augcse_synonym_substitution,
    title="Replace by the first word of a meaning",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    prepare=lexicon,
    missing=missing,
    tags={
        "class": "preserving",
        "role": "positive",
        "language": "english",
        "alias": "SynonymSubstitution",
        "table": "augcse",
    },
)
