"""What does an augmentation do to my sentences?"""

import streamlit as st

from workbench.ui.augment import (
    draw_form,
    encoder_form,
    fill_tab,
    repeat_draws,
    scan_tab,
    sentences_from,
    show_drawn,
    show_encoder_view,
    space_tab,
    use_in_a_run,
    view_pipelines,
)
from workbench.ui.kit.address import choose_button
from workbench.ui.kit.ending import end_page
from workbench.ui.kit.notices import guarded, lede, part
from workbench.ui.kit.theme import require_frame

EXAMPLE = "The old bridge was closed after the storm.\nA boy in a red coat feeds two ducks by the pond."
TABS = {
    "sentences": "Sentences",
    "corpus": "Whole corpus",
    "space": "In the space",
    "fill": "Fill a mask",
}

require_frame()
st.title("Augment")
lede(
    "An augmentation makes a second view of a text. If the change is too small, the encoder learns nothing from it; "
    "if it changes what the sentence says, the encoder learns something false. Look before you train."
)
tab = choose_button(
    "Look at", list(TABS), key="tab", start="sentences", shown=TABS.__getitem__, label_visibility="collapsed"
)
if tab == "corpus":
    scan_tab()
    st.page_link(
        "pages/gold.py",
        label="Judge augmentations",
        icon=":material/arrow_forward:",
        query_params={"gold.tab": "blind"},
    )
    end_page()
if tab == "space":
    space_tab()
    end_page()
if tab == "fill":
    fill_tab()
    end_page()

controls, results = st.columns([2, 3], gap="large")
with controls:
    sentences, corpus = sentences_from(EXAMPLE)
    line, lines = view_pipelines()
    asked = draw_form()
    target, max_length = encoder_form()
    use_in_a_run(lines, asked)

with results, guarded():
    part("Draws")
    table = show_drawn(line, sentences, corpus, asked, target)
    if target and table is not None:
        show_encoder_view(target, line, table, seed=asked["seed"], max_length=max_length)

repeat_draws(line, sentences, corpus, asked)
