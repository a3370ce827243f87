"""Checks and repairs text that cannot be written as UTF-8: a Python string may hold lone surrogates."""

import codecs
import io
import re
from typing import TextIO

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


def escape_unknown(stream: TextIO | None) -> None:
    """Have a stream write what its encoding lacks, or half a character, as JSON's escapes, so that nothing is lost and JSON stays
    JSON. A stream that was given another way to deal with them keeps it.

    >>> latin = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    >>> escape_unknown(latin)
    >>> _ = latin.write("é \u2013 \U0001f600"), latin.flush()
    >>> latin.buffer.getvalue()
    b'\\xe9 \\\\u2013 \\\\ud83d\\\\ude00'
    """
    if not isinstance(stream, io.TextIOWrapper):
        return
    # Without a locale Python writes bytes of odd file names as they were, which stays where the encoding has everything else.
    if stream.errors == "strict" or (
        stream.errors == "surrogateescape" and codecs.lookup(stream.encoding).name != "utf-8"
    ):
        codecs.register_error("json_escapes", _escaped)
        stream.reconfigure(errors="json_escapes")


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """What `codecs.register_error` asks for: the characters that cannot be written, each as its UTF-16 units in JSON's way."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2)), error.end


def check(name: str, text: str) -> None:
    """Check that `text` can be written as UTF-8; the error calls it `name`.

    Raises:
        BadSetting: it holds half a character.
    """
    if not is_whole(text):
        raise BadSetting(
            f"{name} cannot be {text!r}.", rule="It is text in UTF-8.", way_out="Remove the damaged characters."
        )
