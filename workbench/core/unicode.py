"""Text that can be written as UTF-8: Python also holds texts that cannot."""

import re

from workbench.core.errors import BadSetting

_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character: what Python makes of bytes that are not UTF-8, such as those of a word on the command line, and of JSON's
escapes."""


def is_whole(text: str) -> bool:
    """Whether `text` can be written.

    >>> is_whole("é"), is_whole("a \\ud800")
    (True, False)
    """
    return text.isascii() or not _SURROGATE.search(text)


def whole(text: str) -> str:
    """`text` with U+FFFD, the sign of damage, in place of each half of a character.

    >>> whole("a \\ud800") == "a \\ufffd"
    True
    """
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def check(name: str, text: str) -> None:
    """Whether `text` can be written; `name` says what it is.

    Raises:
        BadSetting: it holds half a character.
    """
    if not is_whole(text):
        raise BadSetting(
            f"{name} cannot be {text!r}.", rule="It is text in UTF-8.", way_out="Remove the damaged characters."
        )
