"""The entry points of the first page."""

import streamlit as st

from workbench.ui.kit.words import html


def entry_card(title: str, text: str) -> None:
    """A card that introduces one of the pages."""
    st.html(f'<div class="door"><h2>{html(title)}</h2><p>{html(text)}</p></div>')
