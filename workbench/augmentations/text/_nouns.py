"""Replacing one noun of a text."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import normalised, shuffled
from workbench.augmentations.text._inflect import in_case, inflected
from workbench.augmentations.text._tags import tagged_tokens
from workbench.augmentations.text._tokens import is_plain, put_article_right
from workbench.augmentations.text._verbs import singular
from workbench.augmentations.text._words import english, tokens
from workbench.augmentations.wordnet import NOUN, Lexicon
from workbench.core.method import Knob

Senses = Annotated[int, Knob(1, 20, 1, "Meanings of the noun, most common first, from which the new word may come.")]


def noun_replaced(text: str, lexicon: Lexicon, others: Callable[[str], Sequence[str]], rng: Random) -> str:
    """`text` with one noun, drawn from those for which `others` has words, replaced by one of these wherever it is a noun.

    A noun and its plural are two nouns. A plural becomes a plural; letters, abbreviations and parts of addresses stay. Only
    whole words are compared: `cat` inside `catalogue` stays. "A" or "an" before a replacement is corrected.
    """
    clean = normalised(text)
    if not english(clean):
        return clean
    parts = tokens(clean)
    nouns = [
        (word.lower(), place) for word, tag, place in tagged_tokens(parts) if tag == "NOUN" and is_plain(parts, place)
    ]
    for noun in shuffled(list(dict.fromkeys(noun for noun, _ in nouns)), rng):
        pick = rng.random()
        base = singular(noun)
        if base == noun:
            base = lexicon.base(noun, NOUN) or noun
        options = [other for other in others(base) if other.lower() != noun]
        if not options:
            continue
        new = inflected(options[int(pick * len(options))], noun, base, NOUN)
        for low, place in nouns:
            if low == noun:
                parts[place] = in_case(parts[place], new)
                put_article_right(parts, place)
        break
    return normalised("".join(parts))
