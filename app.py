"""The frame: page settings and the menu. Each page answers one question and lives in pages/.

Streamlit reads this file twice: as the module that says how the app is served, and, for each view, as the page.
"""

import streamlit as st

if __name__ != "__main__":
    from workbench import gate

    app = st.App(__file__, **gate.options(st.get_option))
else:
    from workbench import ui

    st.set_page_config(page_title="Contrastive workbench", page_icon=ui.ICON, layout="wide")
    ui.refuse_ungated()
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
    ui.name_left_out()
    try:
        page.run()
    finally:
        ui.look_back()
