"""A card for each figure: what it is, one click that draws it or fills the form, the published numbers, the line of Python."""

from collections.abc import Sequence
from itertools import groupby

import streamlit as st

from workbench.data.paper_figures import PaperFigure, paper_figures
from workbench.ui.kit.folding import folded
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.score_notes import sheet
from workbench.ui.kit.words import html

ACROSS = 2
_LABELS = {"at once": "Draw it", "after training": "Fill the form that trains it"}


def figure_cards() -> None:
    """All figures, those that need no training first."""
    for group, grouped in groupby(paper_figures(), key=lambda entry: entry.group):
        st.header(group, anchor=False)
        entries = list(grouped)
        for first in range(0, len(entries), ACROSS):
            for column, entry in zip(st.columns(ACROSS, gap="large"), entries[first:], strict=False):
                with column, st.container(border=True, height="stretch"):
                    _card(entry)


def _card(entry: PaperFigure) -> None:
    st.html(f'<h3 class="of">{html(entry.title)}</h3>')
    quiet(f"{entry.source}. {entry.note}")
    st.page_link(
        f"pages/{entry.page}.py",
        label=_LABELS[entry.draws],
        icon=":material/arrow_forward:",
        query_params=dict(entry.parameters),
    )
    more = folded("Published numbers, and Python" if entry.published else "Python", key=f"gallery.{entry.id}")
    if more is None:
        return
    with more:
        if entry.published:
            rows = [f"<tr>{_cells('td', row)}</tr>" for row in entry.published]
            sheet(_cells("th", entry.columns), rows)
        st.code(f"from workbench import api\n{entry.python}", language="python", wrap_lines=True)


def _cells(tag: str, words: Sequence[str]) -> str:
    """Cells of a table, the first of which holds words and the others numbers."""
    first, *others = words
    return f'<{tag} class="words">{html(first)}</{tag}>' + "".join(f"<{tag}>{html(word)}</{tag}>" for word in others)
