"""Text in Markdown: names that users gave, and whatever else must not be interpreted."""

import re

from workbench.core.unbroken import unbroken
from workbench.core.unicode import unturned

_SIGNS = "\\`*_[]<>#|~$&"
"""Signs that Markdown, or the Markdown of GitHub, would interpret."""


def plain(text: str) -> str:
    """A text of which nothing is interpreted, on one line.

    >>> print(plain("a_b <b> | [x](y)"), plain("1. &lt;"))
    a\\_b \\<b\\> \\| \\[x\\](y) 1\\. \\&lt;
    """
    line = unbroken(unturned(" ".join(text.split())))
    escaped = "".join(f"\\{letter}" if letter in _SIGNS else letter for letter in line)
    numbered = re.match(r"\d{1,9}(?=[.)])", escaped)  # of a list
    if numbered:
        return f"{numbered[0]}\\{escaped[numbered.end() :]}"
    return f"\\{escaped}" if escaped[:1] in ("-", "+", "=") else escaped
