"""Expanders that cost nothing until someone opens them."""

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def folded(label: str, *, key: str, start_open: bool = False) -> "DeltaGenerator | None":
    """An expander to fill, or None as long as it has never been opened.

    Otherwise dozens of unseen fields would be created, sent and laid out with every visit. Once opened, the content is
    created for the rest of the session, closed or not, because values set there must keep counting.
    """
    part = st.expander(label, start_open, key=key, on_change="rerun")
    made = f"{key}.made"
    if part.open or start_open:
        st.session_state[made] = True
    return part if st.session_state.get(made) else None
