"""Abbreviations: full stops that end a word but not a sentence."""

import re

from workbench.augmentations.text._words import STOP_WORDS

# No sentence ends with these.
_TITLES = frozenset(
    """
    mr mrs ms mx dr prof st mt ft gen col capt cpt lt maj sgt cpl pvt adm brig cmdr cdr rev fr hon gov sen rep pres supt messrs
    """.split()  # noqa: SIM905
)
# Abbreviations only if a number follows.
_BEFORE_NUMBERS = frozenset(
    """
    no nos pp vol vols fig figs ch sec art op ca circa jan feb mar apr jun jul aug sep sept oct nov dec
    """.split()  # noqa: SIM905
)
# These sometimes end a sentence, as initials do ("in the U.S. He ..."): the next word decides.
_OTHERS = frozenset(
    """
    jr sr vs etc cf al approx ed eds est inc ltd co corp bros dept univ assn esp orig feat
    """.split()  # noqa: SIM905
)
_INITIALS = re.compile(r"(?:[^\W\d_]{1,2}\.)*[^\W\d_]")  # J, U.S, e.g, Ph.D
_GAP = re.compile(r"[\s()\[\]\"'“”‘’/–—-]")
_NEXT = re.compile(r"[\s\"'“‘(\[]*(\w+)(\.?)")


def abbreviated(text: str, stop: int) -> bool:
    """Whether the full stop at `stop` belongs to the word before it and does not end a sentence.

    >>> [abbreviated(text, text.index(". ")) for text in ("Dr. Who", "It rained. Who", "the U.S. Navy", "the U.S. He")]
    [True, False, True, False]
    """
    following = _NEXT.match(text, stop + 1)
    if text[stop + 1 : stop + 2] in tuple(",;:") or (following and following[1][0].islower()):
        return True
    if following is None:
        return False
    word = _GAP.split(text[max(0, stop - 16) : stop])[-1]
    low, number = word.lower(), following[1][0].isdigit()
    if low in _TITLES or (number and low in _BEFORE_NUMBERS):
        return True
    if low not in _OTHERS and _INITIALS.fullmatch(word) is None:
        return False
    return number or following[1].lower() not in STOP_WORDS or following[2] == "."
