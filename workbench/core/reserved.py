"""Names that no file can have on Windows: a file with such a name could not be copied there."""

import re

_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE | re.ASCII | re.DOTALL)


def is_reserved(name: str) -> bool:
    """Whether Windows takes `name`, one part of a path, for a device, with any extension, or strips a dot or space from its end.

    >>> [is_reserved(name) for name in ("CON", "aux.txt", "a.", "console", "com1_x")]
    [True, True, True, False, False]
    """
    return _DEVICE.fullmatch(name) is not None or name.endswith((".", " "))
