"""What does this space look like, and where is it wrong?"""

import streamlit as st

from workbench.ui.explore import (
    cone_lens,
    drop_absent,
    gold_lens,
    pick_other,
    pick_pairs,
    pick_target,
    spectrum_lens,
    views_lens,
    worst_lens,
)
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
    names = ["Similarity and gold", "The cone", "Dropout views", "Worst pairs", "Spectrum"]
    gold, cone, views, worst, spectrum = st.tabs(names, key="view", bind="query-params")
    if gold.open:
        with gold:
            gold_lens(targets, pairs)
    if cone.open:
        with cone:
            cone_lens(targets, pairs)
    if views.open:
        with views:
            views_lens(targets)
    if worst.open:
        with worst:
            worst_lens(targets, pairs)
    if spectrum.open:
        with spectrum:
            spectrum_lens(targets, pairs)
