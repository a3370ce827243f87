"""Texts of users and data on a page: each in the direction of its script, and a long one in a box that scrolls."""

from html import escape

from workbench.ui.kit.words import count, html

MOST_SIGNS = 600
"""Longer texts get a box: about eight lines of a column."""


def passage(text: str, inner: str = "") -> str:
    """The text as HTML, or `inner`, which is the text with marks and already escaped.

    The whole text is there: a long one scrolls, with the mouse or, once it has the focus, with the keys. Characters that set a
    direction of writing stay as they are: their effect ends with the block.

    >>> passage("a < b")
    '<span class="passage" dir="auto">a &lt; b</span>'
    """
    body = inner or escape(text)
    if len(text) <= MOST_SIGNS:
        return f'<span class="passage" dir="auto">{body}</span>'
    label = f"Text of {count(len(text))} characters, scrolls"
    return f'<span class="passage long" dir="auto" tabindex="0" role="group" aria-label="{label}">{body}</span>'


def many(inner: str, items: int, most: int, label: str) -> str:
    """Rows of HTML in a box that scrolls if there are more than `most` items."""
    if items <= most:
        return inner
    return f'<div class="passage long" tabindex="0" role="group" aria-label="{html(label)}, scrolls">{inner}</div>'
