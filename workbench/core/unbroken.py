"""Sentences set so that no line ends between a number and its unit."""

import re

_BEFORE_UNIT = re.compile(r"(?<=\d) (?=%|(?:ms|s|min|h|d|B|kB|MB|GB|TB)\b)")


def unbroken(text: str) -> str:
    """The text with a no-break space between a number and a percent sign, or a unit of time or of size.

    >>> unbroken("95 % of 20 pairs in 1 min 12 s")
    '95\\xa0% of 20 pairs in 1\\xa0min 12\\xa0s'
    """
    return _BEFORE_UNIT.sub("\u00a0", text)
