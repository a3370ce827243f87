"""What one cell of a table can be: a number, votes, a text, an address; and what numbers below each other can be."""

import re
from collections.abc import Sequence
from itertools import pairwise

_HIGHEST = 100
"""The highest score of the usual scales."""
_MOST_DIGITS = 4_300
_ADDRESS = re.compile(r"(?=\S*[A-Za-z])(?=\S*\d)\S*[:/]\S*|[a-z]+://\S*", re.ASCII)

_DATE = re.compile(r"([A-Z][a-z]{2},? )?([A-Z][a-z]{2} \d\d?|\d\d? [A-Z][a-z]{2} \d{4}),? \d\d:\d\d(:\d\d)?( \S+){0,2}")
"""A date with the time of day, as mail and Twitter write it."""


def is_number(cell: str) -> bool:
    """Whether a cell can be read as a number. A decimal comma, `nan` and `inf` are accepted, Python's 1_0 is not.

    >>> [is_number(cell) for cell in ("4.2", "4,2", "nan", "A dog.", "", "1_0")]
    [True, True, True, False, False, False]
    """
    if "_" in cell:
        return False
    try:
        float(cell.strip().replace(",", "."))
    except ValueError:
        return False
    return True


def whole(cell: str) -> int | None:
    """The number that a cell of digits is; None for any other cell, and for more digits than Python reads as a number.

    >>> whole("042"), whole("-1"), whole("9" * 5000)
    (42, None, None)
    """
    return int(cell) if cell.isdecimal() and len(cell) <= _MOST_DIGITS else None


def votes(cell: str) -> tuple[int, int] | None:
    """The two numbers of a cell such as `(3, 2)`, see `workbench.data.scales.of_votes`; None if it is something else.

    >>> votes("(3, 2)"), votes("3, 2")
    ((3, 2), None)
    """
    found = re.fullmatch(r"\((\d{1,3}), ?(\d{1,3})\)", cell.strip())
    return (int(found[1]), int(found[2])) if found else None


def is_text(cell: str) -> bool:
    """Whether a cell can be a text: it holds a letter, and several words or signs other than those of English. A date is none.

    >>> [is_text(cell) for cell in ("A dog.", "犬です", "dog", "(3, 2)", "101 102", "Mon Apr 06 22:19:45 2009")]
    [True, True, False, False, False, False]
    """
    several = " " in cell.strip() or not cell.isascii()
    return several and any(map(str.isalpha, cell)) and not _DATE.fullmatch(cell.strip())


def is_address(cell: str) -> bool:
    """Whether a cell is an address, or an id of several parts, rather than a text.

    >>> [is_address(cell) for cell in ("COCO_val2014:sentid:411553", "https://a.org/b", "dog", "A dog.", "4.5")]
    [True, True, False, False, False]
    """
    return _ADDRESS.fullmatch(cell.strip()) is not None


def count_up(cells: Sequence[str]) -> bool:
    """Whether each of at least three cells is the whole number after the one before."""
    numbers = [number for cell in cells if (number := whole(cell)) is not None]
    return len(numbers) == len(cells) >= 3 and all(after == before + 1 for before, after in pairwise(numbers))


def are_ids(cells: Sequence[str]) -> bool:
    """Whether numbers are ids: some have leading zeros, or at least three are whole, no two alike, and some beyond any usual
    scale.

    >>> are_ids(["0024", "0131"]), are_ids(["9", "512", "88"]), are_ids(["9", "51", "88"]), are_ids(["0.5", "120"])
    (True, True, False, False)
    """
    numbers = {number for cell in cells if (number := whole(cell)) is not None}
    return any(re.fullmatch(r"0\d+", cell) for cell in cells) or (
        len(numbers) == len(cells) >= 3 and max(numbers) > _HIGHEST
    )
