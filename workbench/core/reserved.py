"""Names that Windows gives to no file: what is kept here under one could not be carried there."""

import re

_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE | re.ASCII | re.DOTALL)


def is_reserved(name: str) -> bool:
    """Whether `name`, one part of a path, is a device there, with any ending, or loses a point or space at its end.

    >>> [is_reserved(name) for name in ("CON", "aux.txt", "a.", "console", "com1_x")]
    [True, True, True, False, False]
    """
    return _DEVICE.fullmatch(name) is not None or name.endswith((".", " "))
