"""Why are raw sentence embeddings bad, and what does contrastive learning change?"""

import streamlit as st

from workbench.ui.kit.notices import guarded, lede
from workbench.ui.kit.theme import require_frame
from workbench.ui.learn import (
    act_if_asked,
    answered,
    ask_steps,
    lesson,
    lesson_title,
    pick_encoders,
    show_progress,
    step_with_numbers,
    unanswered,
)

require_frame()
st.title("Learn")
lede(lesson_title())
shown = st.container()
st.header("With your own encoders")
questions = {}
with guarded():
    act_if_asked()
    before, after = pick_encoders()
    questions = ask_steps(before, after)
    show_progress(questions, step_with_numbers(), before, after)
with shown:
    lesson(answered(questions), unanswered(questions))
