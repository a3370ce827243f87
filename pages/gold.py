"""What do people say?"""

import streamlit as st

from workbench.ui.gold import judge_tab, rate_tab
from workbench.ui.kit.address import choose_button
from workbench.ui.kit.notices import lede
from workbench.ui.kit.theme import require_frame

TABS = {"rate": "Rate pairs", "blind": "Judge augmentations"}

require_frame()
st.title("Gold")
lede(
    "Every score is only as good as what people said. A hundred pairs of your own texts, rated in half an hour, tell you which "
    "encoder is right for them; a verdict on augmented texts tells you which augmentations keep the meaning."
)
tab = choose_button(
    "Look at", list(TABS), key="gold.tab", start="rate", shown=TABS.__getitem__, label_visibility="collapsed"
)
if tab == "blind":
    judge_tab()
else:
    rate_tab()
