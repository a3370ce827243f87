"""Which words of a text may be replaced from a dictionary, and the article before a replacement."""

import re

from workbench.augmentations.text._abbreviations import abbreviated
from workbench.augmentations.text._words import locked

_ADDRESS = re.compile(r"://|@|www\.|\w\.[a-z]{2}")
_FAR = 40  # tokens; addresses are shorter
_MARKS = frozenset("\"“”'‘’()[]{}—–…,;:!?.")
# Spelled with an initial vowel but spoken with a consonant, and the other way round.
_CONSONANT = re.compile(r"(?:uni(?!m|n[^g])|u[bkrst][aeiou]|eu|ewe|one\b|once\b|one-)", re.IGNORECASE)
_SILENT = re.compile(r"(?:hour|hono|honest|heir)", re.IGNORECASE)


def has_address(text: str) -> bool:
    """Whether a text without spaces is or holds an address of a page, a file or a mailbox.

    >>> [has_address(unit) for unit in ("http://dog", "(dog.com/cat)", "me@home", "3.5", "p.m.", "it.")]
    [True, True, True, False, False, False]
    """
    return _ADDRESS.search(text) is not None


def is_plain(parts: list[str], index: int) -> bool:
    """Whether the word at `index` of `tokens` is not a single letter, figure, abbreviation or part of an address.

    >>> [is_plain(["See ", "x", ".", "org", ", ", "c", ". ", "dogs", "."], place) for place in (1, 3, 5, 7)]
    [False, False, False, True]
    """
    word, before, after = parts[index], parts[index - 1], parts[index + 1]
    if before == " " == after and word.isalpha():  # most words
        return len(word) > 1
    if len(word) < 2 or locked(word) or any(letter.isdigit() for letter in word):
        return False
    if before and index > 1 and " " not in before and (before in (".", ":") or before[-1] not in _MARKS):
        return False
    start, end = "".join(parts[max(0, index - _FAR) : index]), "".join(parts[index : index + _FAR])
    if has_address(start.rpartition(" ")[2] + end.partition(" ")[0]):
        return False
    if not after or index + 2 >= len(parts) or after == " ":
        return True
    if " " not in after and (after in (".", ":") or after[0] not in _MARKS):
        return False
    return after[0] != "." or not abbreviated(f"{word}{after}{parts[index + 2]}", len(word))


def article(old: str, word: str, *, capitals: bool = False) -> str:
    """`a` or `an` before `word`, in the case of `old`; "A" becomes "AN" only with `capitals`: where the text is in capitals.

    >>> article("A", "hour"), article("an", "union"), article("a", "unusual"), article("AN", "CAT")
    ('An', 'a', 'an', 'A')
    >>> article("A", "OLD", capitals=True)
    'AN'
    """
    vowel = _SILENT.match(word) or (word[:1].lower() in "aeiou" and not _CONSONANT.match(word))
    right = "an" if vowel else "a"
    return (
        right
        if old.islower()
        else right.upper()
        if capitals or (len(old) > 1 and old.isupper())
        else right.capitalize()
    )


def put_article_right(parts: list[str], index: int) -> None:
    """Correct an `a` or `an` directly before the word at `index` of `tokens`, in place."""
    if index > 2 and parts[index - 1] == " " and parts[index - 2].lower() in ("a", "an"):
        parts[index - 2] = article(parts[index - 2], parts[index], capitals="".join(parts).isupper())
