"""A card for each figure: what it is, one click that draws it or fills the form, the published numbers, the line of Python."""

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from itertools import groupby

import streamlit as st

from workbench.data.paper_figures import PICTURES, PaperFigure, paper_figures
from workbench.ui.gallery.own_runs import own_runs
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import html

ACROSS = 3
WIDTH, HEIGHT = 560, 350
"""Pixels of a picture."""
_LABELS = {"at once": "Draw it", "after training": "Fill the form that trains it"}


def figure_cards() -> None:
    """All figures, those that need no training first."""
    for group, grouped in groupby(paper_figures(), key=lambda entry: entry.group):
        st.header(group, anchor=False)
        entries = list(grouped)
        for first in range(0, len(entries), ACROSS):
            for column, entry in zip(st.columns(ACROSS, gap="medium"), entries[first:], strict=False):
                with column, st.container(border=True, height="stretch"):
                    _card(entry)


def _card(entry: PaperFigure) -> None:
    """One element for all words: dozens of expanders would delay the page."""
    more = _table(entry) if entry.published else ""
    words = " ".join(filter(None, (entry.note, entry.known)))
    theme = "dark" if dark() else "light"
    picture = _address(entry.id, theme)
    st.html(
        f'<h3 class="of">{html(entry.title)}</h3><figure class="card {theme}"><img src="{picture}" alt="{html(entry.picture)}" '
        f'width="{WIDTH}" height="{HEIGHT}"><figcaption>{html(entry.picture)}</figcaption></figure>'
        f'<p class="quiet">{html(entry.source)}. {html(words)}</p>'
        f"<details><summary>{'Published numbers, and Python' if more else 'Python'}</summary>{more}"
        f"<pre><code>from workbench import api\n{html(entry.python)}</code></pre></details>"
    )
    st.page_link(
        f"pages/{entry.page}.py",
        label=_LABELS[entry.draws],
        icon=":material/arrow_forward:",
        query_params=dict(entry.parameters),
    )
    if entry.logged:
        own_runs(entry)


@cache
def _address(name: str, theme: str) -> str:
    """A picture as an address that holds it, since a page has no other that needs no element of its own."""
    content = (PICTURES / f"{name}.{theme}.png").read_bytes()
    return f"data:image/png;base64,{b64encode(content).decode()}"


def _table(entry: PaperFigure) -> str:
    rows = "".join(f"<tr>{_cells('td', row)}</tr>" for row in entry.published)
    return f'<div class="sheet"><table><tr>{_cells("th", entry.columns)}</tr>{rows}</table></div>'


def _cells(tag: str, words: Sequence[str]) -> str:
    """Cells of a table, the first of which holds words and the others numbers."""
    first, *others = words
    return f'<{tag} class="words">{html(first)}</{tag}>' + "".join(f"<{tag}>{html(word)}</{tag}>" for word in others)
