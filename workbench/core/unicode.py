"""Checks and repairs text that cannot be written as UTF-8: a Python string may hold lone surrogates."""

import re

from workbench.core.errors import BadSetting

_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character. Python makes them from bytes that are not UTF-8, such as those of a command-line argument, and from JSON's
escapes."""

_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""The characters that embed, override or isolate a direction, and those that end it. The marks U+200E and U+200F turn nothing."""


def is_whole(text: str) -> bool:
    """Whether `text` can be written as UTF-8.

    >>> is_whole("é"), is_whole("a \\ud800")
    (True, False)
    """
    return text.isascii() or not _SURROGATE.search(text)


def whole(text: str) -> str:
    """`text` with each half of a character replaced by U+FFFD, the replacement character.

    >>> whole("a \\ud800") == "a \\ufffd"
    True
    """
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def unturned(text: str) -> str:
    """`text` with the characters that set a direction of writing as escapes, so that it turns no sentence that it stands in.

    >>> unturned("a \u202eb")
    'a \\\\u202eb'
    """
    return text if text.isascii() else _TURNING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def check(name: str, text: str) -> None:
    """Check that `text` can be written as UTF-8; the error calls it `name`.

    Raises:
        BadSetting: it holds half a character.
    """
    if not is_whole(text):
        raise BadSetting(
            f"{name} cannot be {text!r}.", rule="It is text in UTF-8.", way_out="Remove the damaged characters."
        )
