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


def split_in(name: str) -> str:
    """The first word of a name that is the name of a split, in lower case; empty if there is none.

    >>> split_in("oos_val"), split_in("Train"), split_in("validate")
    ('val', 'train', '')
    """
    return next((word for word in re.split(r"[_ -]+", name.casefold()) if word in SPLITS), "")
