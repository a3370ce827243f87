"""The texts that a command is given: its words, or the lines of standard input."""

import codecs
import sys
from collections.abc import Sequence

from workbench.core.errors import BadData


def texts_of(words: Sequence[str]) -> list[str]:
    """The words; for `-` alone the lines of standard input, which are UTF-8. Only a line feed, alone or after a carriage return,
    ends a line: other separators of Unicode may stand in a text. Empty lines are texts.

    Raises:
        BadData: a line is not UTF-8, or there is none.
    """
    if list(words) != ["-"]:
        return list(words)
    texts: list[str] = []
    for number, raw in enumerate(sys.stdin.buffer, 1):
        line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
        try:
            texts.append(line.decode("utf-8").removesuffix("\n").removesuffix("\r"))
        except UnicodeDecodeError as error:
            raise BadData(
                f"The input is not UTF-8 text: line {number}.",
                rule="It has one text per line.",
                reason=str(error),
                way_out="Save it as UTF-8.",
            ) from None
    if not texts:
        raise BadData("There is no text on standard input.", rule="It has one text per line.")
    return texts
