"""What does this space look like, and where is it wrong?"""

import streamlit as st

from workbench.ui.explore import LENSES, drop_absent, pick_other, pick_pairs, pick_target
from workbench.ui.kit.notices import guarded
from workbench.ui.kit.theme import require_frame

require_frame()
st.title("Explore")
with guarded():
    pick, on, beside = st.columns([2, 1, 2], gap="medium")
    with pick:
        target = pick_target(variants=True)
    with on:
        pairs = pick_pairs()
    with beside:
        other = pick_other(target)
    targets = drop_absent([name for name in (target, other) if name])
    if not targets:
        st.stop()
    tabs = st.tabs(list(LENSES), key="view", bind="query-params")
    for tab, lens in zip(tabs, LENSES.values(), strict=True):
        if tab.open:
            with tab:
                lens(targets, pairs)
