"""The frame: page settings and the menu. Each page answers one question and lives in pages/."""

import streamlit as st

from workbench import ui

st.set_page_config(page_title="Contrastive workbench", page_icon="assets/icon.svg", layout="wide")
ui.dress()
ui.set_aside_imports()
page = st.navigation(
    [
        st.Page("pages/home.py", title="Home", default=True),
        st.Page("pages/augment.py", title="Augment"),
        st.Page("pages/train.py", title="Train"),
        st.Page("pages/runs.py", title="Runs"),
        st.Page("pages/compare.py", title="Compare"),
        st.Page("pages/explore.py", title="Explore"),
    ],
    position="top",
)
ui.enter(page.url_path)
try:
    page.run()
finally:
    ui.look_back()
