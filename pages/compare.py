"""Which of these is better, and by how much more than chance?"""

import streamlit as st

from workbench.ui.compare import (
    drop_unusable,
    pick_pairs,
    pick_targets,
    published_results,
    say_without_weights,
    show_comparison,
    show_geometry,
    show_report,
    show_suites,
    show_sweeps,
    tested_call,
)
from workbench.ui.kit.address import choose_button
from workbench.ui.kit.ending import end_page
from workbench.ui.kit.notices import empty, guarded, lede
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.theme import require_frame

require_frame()
st.title("Compare")
lede(
    "Runs next to encoders that were not trained here. Subtracting the mean costs nothing, and TF-IDF needs no encoder: "
    "training is only worth what it adds to these."
)
modes = {"targets": "Runs and encoders", "sweeps": "Sweeps"}
if choose_button("Compare", list(modes), key="compare", start="targets", shown=modes.__getitem__) == "sweeps":
    show_sweeps()
    end_page()

with guarded():
    pick, on = st.columns([3, 1], gap="medium")
    messages = st.container()
    with pick:
        targets = pick_targets()
    with on:
        pairs = pick_pairs(messages)
    targets = drop_unusable(targets)
    if not targets:
        empty("Nothing to compare yet.", "Choose runs or backbones above.")
        end_page()

    say_without_weights(targets)
    show_comparison(targets, pairs)
    show_geometry(targets, pairs)
    asked = show_suites(targets)
    published_results(targets, asked)
    handed_in = show_report(targets, pairs, asked)
    repeat(
        python_call("compare", targets, pairs=pairs),
        *filter(None, [tested_call(targets, pairs)]),
        handed_in,
        *(python_call("evaluate", target=target, **given) for given in asked.values() for target in targets),
    )
