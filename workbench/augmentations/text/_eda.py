"""What the four EDA methods share: cleaning the text first."""

import unicodedata

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._words import joined, locked, words

CLEAN = "First make everything lower case and remove digits and punctuation, as the published code does."


def prepared(text: str, eda_clean: bool) -> str:
    """`text` with normalised white space and, with `eda_clean`, cleaned as by EDA's authors; locked words stay unchanged.

    The authors keep only a to z; here the letters of every script stay. A text without letters is not cleaned, nor one that would
    then be cut into characters, and a locked word with it.

    >>> prepared("It's 2 well-known   dogs!", True), prepared("Two  dogs!", False)
    ('its well known dogs', 'Two dogs!')
    """
    if not eda_clean:
        return normalised(text)
    units = [unit if locked(unit) else _plain(unit.lower()) for unit in words(text)]
    cleaned = normalised(joined(units, text))
    return cleaned if cleaned and _held(cleaned) == _held(text) else normalised(text)


def _held(text: str) -> list[str]:
    return [unit.strip() for unit in words(text) if locked(unit)]


def _plain(word: str) -> str:
    """`word` with its letters and what combines with them; apostrophes go, and other characters become spaces."""
    kept = ""
    for letter in word:
        if letter.isalpha() or (not letter.isascii() and unicodedata.category(letter)[0] == "M" and kept[-1:].strip()):
            kept += letter
        else:
            kept += "" if letter in "'’" else " "
    return kept
