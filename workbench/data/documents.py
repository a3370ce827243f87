"""Documents (texts of several sentences) and how they are split into sentences."""

import re
from collections.abc import Iterable, Iterator

# Common abbreviations: a full stop after one of these does not end a sentence.
_SHORT = frozenset(
    (
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "st",
        "sr",
        "jr",
        "vs",
        "etc",
        "fig",
        "vol",
        "approx",
        "e.g",
        "i.e",
        "a.m",
        "p.m",
    )
)
_BEFORE_NUMBERS = frozenset(
    (
        *("no", "nos", "p", "pp", "ch", "sec", "eq"),
        *("jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"),
    )
)
"""Abbreviations only before a number: the answer "No." ends a sentence."""
_END = re.compile(
    r"""(?<=[.!?…؟۔।॥])["'”’)\]]*\s+(?=["'“‘(\[]*[^\W\d_a-zà-öø-ÿ]|["'“‘(\[]*\d)|(?<=[。！？])(?![”’」』）])"""
)


def sentences(document: str) -> list[str]:
    """The sentences of a text, split by rule after a full stop, question mark or exclamation mark that is followed by
    a digit or a letter that is not a small one.

    Initials and common abbreviations do not end a sentence. A text without a sentence end is one sentence.

    >>> sentences('Dr. Lim was late. "Why?" asked Ann at 3.15 p.m. sharp. 我来了。你呢？')
    ['Dr. Lim was late.', '"Why?" asked Ann at 3.15 p.m. sharp.', '我来了。', '你呢？']
    """
    found: list[str] = []
    start = 0
    for end in _END.finditer(document):
        piece = document[start : end.end()].strip()
        last = piece.rsplit(" ", 1)[-1].strip("\"'“”‘’()[]")
        word = last[:-1].casefold() if last.endswith(".") else ""
        if word in _SHORT or re.fullmatch(r"[^\W\d_]", word):
            continue
        if word in _BEFORE_NUMBERS and document[end.end() : end.end() + 1].isdigit():
            continue
        if piece:
            found.append(piece)
        start = end.end()
    if rest := document[start:].strip():
        found.append(rest)
    return found


def blocks(lines: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    """Documents from the lines of a file, separated by empty lines. Yields the line where each begins, and its text as
    one cell.
    """
    begun, parts = 0, list[str]()
    for row, cells in lines:
        line = cells[0].strip()
        if line:
            begun = begun if parts else row
            parts.append(line)
        elif parts:
            yield begun, [" ".join(parts)]
            parts = []
    if parts:
        yield begun, [" ".join(parts)]
