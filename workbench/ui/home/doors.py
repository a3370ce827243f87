"""The entry points of the first page."""

from collections.abc import Collection

import streamlit as st

from workbench.ui.kit.glossary import explained
from workbench.ui.kit.words import html


def entry_card(title: str, text: str, explain: Collection[str] = ()) -> None:
    """A card that introduces one of the pages; for `explain` see `explained`."""
    st.html(f'<div class="door"><h2>{html(title)}</h2><p>{explained(html(text), explain)}</p></div>')
