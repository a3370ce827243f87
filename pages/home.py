"""What is this, and what can I do here?"""

import streamlit as st

from workbench.ui.home import (
    demo_cone,
    demo_facts,
    demo_plane,
    demo_provenance,
    demo_second_case,
    entry_card,
    lesson,
    shipped,
)
from workbench.ui.kit.notices import empty, lede
from workbench.ui.kit.theme import require_frame

require_frame()
st.title("What contrastive training does to a sentence encoder")
lede(
    "Pick an encoder, a corpus and a recipe; train for a minute; see how the embedding space changes. "
    "Below is one such run, already finished."
)
demo = shipped()
if demo is None:
    empty(
        "The demo comparison is missing.",
        "Create it with `python -m experiments.demo --data DIR`, where DIR is the folder with the STS data.",
    )
else:
    demo_facts(demo)
    before, after, plane = st.columns(3, gap="medium")
    with before:
        demo_cone(demo, "step0")
    with after:
        demo_cone(demo, "last")
    with plane:
        demo_plane(demo)

learn, mine, compare = st.columns(3, gap="large")
with learn:
    entry_card(
        "Learn",
        "Why vectors crowd into a cone, and what subtracting their mean does: a pretrained encoder, plot by plot.",
    )
    st.page_link(
        "pages/explore.py",
        label="Explore a pretrained encoder",
        icon=":material/arrow_forward:",
        query_params={"view": "The cone", "beside": "minilm-l3+centre"},
    )
with mine:
    entry_card(
        "Try my sentences",
        "Type a sentence, choose an augmentation, and see what each draw changes. No encoder needed.",
    )
    st.page_link("pages/augment.py", label="Augment a sentence", icon=":material/arrow_forward:")
with compare:
    entry_card(
        "Compare", "Put runs next to pretrained encoders, on one plane and in one table, with intervals and ties."
    )
    st.page_link("pages/compare.py", label="Compare encoders", icon=":material/arrow_forward:")

lesson()
if demo is not None:
    demo_second_case(demo)
    demo_provenance(demo)
