"""Closed parts of a page that cost nothing until somebody opens them."""

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def folded(label: str, *, key: str, start_open: bool = False) -> "DeltaGenerator | None":
    """An expander whose content is to be made, or None as long as nobody has opened it.

    Dozens of fields that nobody looks at would be made, sent and laid out with every visit. Once opened, the content is
    made for the rest of the session, closed or not: what was set there must go on counting.
    """
    part = st.expander(label, start_open, key=key, on_change="rerun")
    made = f"{key}.made"
    if part.open or start_open:
        st.session_state[made] = True
    return part if st.session_state.get(made) else None
