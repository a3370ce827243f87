"""CLEAR's substitution: a third of the words become synonyms."""

from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import edit_count, normalised, shuffled
from workbench.augmentations.text._inflect import in_case
from workbench.augmentations.text._tokens import is_plain, put_article_right
from workbench.augmentations.text._words import STOP_WORDS, english, tokens
from workbench.augmentations.wordnet import Lexicon, lexicon, missing
from workbench.core.method import Knob, Method


def clear_substitution(
    wordnet: Lexicon,
    text: str,
    *,
    rate: Annotated[float, Knob(0.0, 1.0, 0.05, "Share of the words replaced; at least one unless 0.")] = 0.3,
    rng: Random,
) -> str:
    """`text` with a share of its words, counted over all, replaced by WordNet synonyms of any of their meanings.

    Only words with synonyms can be replaced, and no stop words, letters or abbreviations, so fewer may change than
    asked for. The synonym is drawn separately for each occurrence of a word.
    The default rate is recalled from the paper, not checked against it.

    Prefer it over `eda_synonym` when many words should change (30 percent by default, against 10), or when a repeated
    word should not get the same synonym everywhere.

    >>> from unittest.mock import Mock
    >>> clear_substitution(Mock(synonyms=lambda word: ("hound",)), "The dog sleeps.", rng=Random(0))
    'The dog hound.'
    """
    clean = normalised(text)
    if rate <= 0 or not english(clean):
        return clean
    parts = tokens(clean)
    left = edit_count(rate, len(parts) // 2)
    places = [place for place in range(1, len(parts), 2) if parts[place].lower() not in STOP_WORDS]
    for place in shuffled(places, rng):
        if left == 0:
            break
        pick = rng.random()
        if is_plain(parts, place) and (options := wordnet.synonyms(parts[place])):
            parts[place] = in_case(parts[place], options[int(pick * len(options))])
            put_article_right(parts, place)
            left -= 1
    return normalised("".join(parts))


METHOD = Method(
    clear_substitution,
    title="Replace many words by synonyms",
    source="Wu et al. 2020, CLEAR, arXiv:2012.15466",
    prepare=lexicon,
    missing=missing,
    tags={"class": "preserving", "role": "positive", "language": "english"},
)
