"""What many sessions are shown alike is drawn once: Streamlit keeps the elements as they were sent, and sends them again."""

import pickle
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import streamlit as st

from workbench.ui.kit.theme import dark

_MAX_DRAWINGS = 256
"""Drawings that are kept; the oldest goes first. One is 1 to 100 kB."""


def once(draw: Callable[[], None], *content: Any) -> None:
    """Draw what `content` and the theme alone determine, or show again what was drawn of them before, by any session.

    While one session draws a figure (20 to 80 ms in Plotly) or a table, no other is served. Nothing leaks from one session
    to another: who is shown a drawing has brought all of its content along. `draw` makes no widgets, which belong to a
    session.
    """
    _replay(draw, blake2b(pickle.dumps((dark(), content)), digest_size=16).hexdigest())


@st.cache_data(show_spinner=False, max_entries=_MAX_DRAWINGS)
def _replay(_draw: Callable[[], None], content: str) -> None:
    _draw()
