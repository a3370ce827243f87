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
_END = re.compile(
    r"""(?<=[.!?…])["'”’)\]]*\s+(?=["'“‘(\[]*[^\W\d_a-zà-öø-ÿ]|["'“‘(\[]*\d)|(?<=[。！？])(?![”’」』）])"""
)


def sentences(document: str) -> list[str]:
    """The sentences of a text, split by rule after a full stop, question mark or exclamation mark that is followed by a
    capital letter or a digit.

    Initials and common abbreviations do not end a sentence. A text without a sentence end is one sentence.

    >>> sentences('Dr. Lim was late. "Why?" asked Ann at 3.15 p.m. sharp. 我来了。你呢？')
    ['Dr. Lim was late.', '"Why?" asked Ann at 3.15 p.m. sharp.', '我来了。', '你呢？']
    """
    found: list[str] = []
    start = 0
    for end in _END.finditer(document):
        piece = document[start : end.end()].strip()
        last = piece.rsplit(" ", 1)[-1].strip("\"'“”‘’()[]")
        if last.endswith(".") and (last[:-1].casefold() in _SHORT or re.fullmatch(r"[^\W\d_]", last[:-1])):
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
