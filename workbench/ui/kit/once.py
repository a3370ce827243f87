"""What many sessions see alike is drawn once: Streamlit caches the elements and replays them."""

import pickle
from collections.abc import Callable
from hashlib import blake2b

import streamlit as st

from workbench.ui.kit.theme import dark

_MAX_DRAWINGS = 256
"""Most drawings in the cache; the oldest is evicted first. One takes 1 to 100 kB."""


def once(draw: Callable[[], None], *content: object) -> None:
    """Draw what `content` and the theme alone determine, or replay the same drawing from an earlier call of any session.

    While one session draws a figure (20 to 80 ms in Plotly) or a table, no other is served. Nothing leaks between
    sessions, since whoever sees a drawing has supplied all of its content. `draw` must not create widgets, which belong
    to a session.
    """
    _replay(draw, blake2b(pickle.dumps((dark(), content)), digest_size=16).hexdigest())


@st.cache_data(show_spinner=False, max_entries=_MAX_DRAWINGS)
def _replay(_draw: Callable[[], None], content: str) -> None:
    _draw()
