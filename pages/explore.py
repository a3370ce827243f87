"""What does this space look like, and where is it wrong?"""

import streamlit as st

from workbench import ui

ui.framed()
st.title("Explore")
with ui.guarded():
    pick, on, beside = st.columns([2, 1, 2], gap="medium")
    with pick:
        target = ui.pick_target(variants=True)
    with on:
        pairs = ui.pick_pairs()
    with beside:
        other = ui.pick_other(target)
    targets = ui.say_absent([name for name in (target, other) if name])
    if not targets:
        st.stop()
    names = ["Similarity and gold", "The cone", "Dropout views", "Worst pairs", "Spectrum"]
    gold, cone, views, worst, spectrum = st.tabs(names, key="view", bind="query-params")
    if gold.open:
        with gold:
            ui.gold_lens(targets, pairs)
    if cone.open:
        with cone:
            ui.cone_lens(targets, pairs)
    if views.open:
        with views:
            ui.views_lens(targets)
    if worst.open:
        with worst:
            ui.worst_lens(targets, pairs)
    if spectrum.open:
        with spectrum:
            ui.spectrum_lens(targets, pairs)
