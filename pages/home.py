"""What is this, and what can I do here?"""

import streamlit as st

from workbench.ui.home import (
    demo_cone,
    demo_facts,
    demo_on_stsb,
    demo_plane,
    demo_provenance,
    entry_card,
    own_checkpoint,
    recent_runs,
    run_now,
    shipped,
)
from workbench.ui.kit.notices import empty, guarded, lede
from workbench.ui.kit.theme import require_frame

require_frame()
st.title("What contrastive training does to a sentence encoder")
lede(
    "Pick an encoder, a corpus and a recipe; train for a minute; see how the embedding space changes. "
    "Below is one such run, already finished; the button repeats it here."
)
cases = shipped()
if not cases:
    empty("The demo comparison is missing.", "Create it with `python -m experiments.demo`.")
else:
    demo_facts(cases[0], explain=True)
    with guarded():
        run_now(cases[0])
    before, after, plane = st.columns(3, gap="medium")
    with before:
        demo_cone(cases[0], "step0")
    with after:
        demo_cone(cases[0], "last")
    with plane:
        demo_plane(cases[0])

with guarded():
    recent_runs()

learn, mine, compare = st.columns(3, gap="large")
with learn:
    entry_card(
        "Learn",
        "Why raw sentence embeddings crowd into a cone, and what contrastive learning changes: predict, see, try. The encoder "
        "above was last trained to guess masked words of Wikipedia, not to compare sentences.",
        explain=["cone"],
    )
    st.page_link("pages/learn.py", label="Start the lesson", icon=":material/arrow_forward:")
with mine:
    entry_card(
        "Try my sentences",
        "Type a sentence, choose an augmentation, and see what each draw changes. No encoder needed.",
    )
    st.page_link("pages/augment.py", label="Augment a sentence", icon=":material/arrow_forward:")
with compare:
    entry_card(
        "Compare",
        "Put runs, or a checkpoint of your own, next to the raw encoder: scores with intervals, geometry, a verdict, the cone.",
    )
    own_checkpoint()
    st.page_link("pages/compare.py", label="Compare encoders", icon=":material/arrow_forward:")
    st.page_link("pages/gold.py", label="Rate pairs of your own", icon=":material/arrow_forward:")
    st.page_link("pages/gallery.py", label="Figures of the papers", icon=":material/arrow_forward:")

if cases:
    demo_on_stsb(cases[1:])
    demo_provenance(cases)
