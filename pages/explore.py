"""What does this space look like, and where is it wrong?"""

import streamlit as st

from workbench.ui.explore import LENSES, drop_unusable, in_order, pick_other, pick_pairs, pick_target
from workbench.ui.kit.address import choose_tab
from workbench.ui.kit.ending import end_page
from workbench.ui.kit.notices import guarded
from workbench.ui.kit.theme import require_frame

require_frame()
st.title("Explore")
with guarded():
    pick, on, beside = st.columns([2, 1, 2], gap="medium")
    messages = st.container()
    with pick:
        target = pick_target(variants=True)
    with on:
        pairs = pick_pairs(messages)
    with beside:
        other = pick_other(target)
    targets = drop_unusable(in_order(target, other))
    if not targets:
        end_page()
    view, tab = choose_tab(list(LENSES), key="view")
    with tab:
        LENSES[view](targets, pairs)
