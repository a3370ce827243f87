"""What splits are called."""

import re

_DEV = ("dev", "trial", "validation", "valid", "val", "va")
"""Names of a development split; in SICK it is called trial, in SentEval's probing tasks va."""
_NAMES = (_DEV, ("train", "tr"), ("test", "te"))
SPLITS = frozenset(name for names in _NAMES for name in names)
"""All names of splits."""


def alike(split: str) -> tuple[str, ...]:
    """All names of the same split, starting with `split` itself.

    >>> alike("trial"), alike("test")
    (('trial', 'dev', 'validation', 'valid', 'val', 'va'), ('test', 'te'))
    """
    return tuple(dict.fromkeys((split, *(name for names in _NAMES if split in names for name in names))))


def split_of(word: str) -> str:
    """The usual name of a split, train, dev or test; empty if the word is none.

    >>> split_of("Train"), split_of("valid"), split_of("texts")
    ('train', 'dev', '')
    """
    named = word.casefold()
    return next((split for split in ("train", "dev", "test") if named in alike(split)), "")


def split_in(name: str) -> str:
    """The usual name of the first split among the words of a name; empty if there is none.

    >>> split_in("oos_val"), split_in("Train"), split_in("validate")
    ('dev', 'train', '')
    """
    return next(filter(None, map(split_of, re.split(r"[_\-.\s]+", name))), "")
