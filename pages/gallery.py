"""Which figures of the papers can I draw myself?"""

import streamlit as st

from workbench.ui.gallery import figure_cards
from workbench.ui.kit.notices import lede
from workbench.ui.kit.theme import require_frame

require_frame()
st.title("Figures of the papers", anchor=False)
lede(
    "Each figure and table of the papers behind these methods, drawn with your own runs. Figures of a space need no training; "
    "for the others the form is filled in, and a small encoder trains in minutes. Published numbers, where there are any, are "
    "shown with each."
)
figure_cards()
