"""What does an augmentation do to my sentences?"""

import streamlit as st

from workbench import ui

EXAMPLE = "The old bridge was closed after the storm.\nA boy in a red coat feeds two ducks by the pond."
TABS = {"sentences": "Sentences", "corpus": "Whole corpus", "blind": "Judge blind", "fill": "Fill a mask"}

ui.framed()
st.title("Augment")
ui.lede(
    "An augmentation makes a second view of a text. If the change is too small, the encoder learns nothing from it; "
    "if it changes what the sentence says, the encoder learns something false. Look before you train."
)
tab = ui.choose_button(
    "Look at", list(TABS), key="tab", start="sentences", shown=TABS.__getitem__, label_visibility="collapsed"
)
if tab == "corpus":
    ui.scan_tab()
    st.stop()
if tab == "blind":
    ui.judge_tab()
    st.stop()

if tab == "fill":
    ui.fill_tab()
    st.stop()

controls, drawn = st.columns([2, 3], gap="large")
with controls:
    sentences, corpus = ui.sentences_from(EXAMPLE)
    line, lines = ui.view_pipelines()
    asked = ui.draw_form()
    target, max_length = ui.encoder_form()
    ui.use_in_a_run(lines, asked)

with drawn, ui.guarded():
    table = ui.show_drawn(line, sentences, corpus, asked, target)
    if target and table is not None:
        ui.seen_by(target, line, table, seed=asked["seed"], max_length=max_length)

ui.repeat_draws(line, sentences, corpus, asked)
