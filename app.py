"""The frame: page settings and the menu. Each page answers one question and lives in pages/.

Streamlit reads this file twice: as the module that says how the app is served, and, for each view, as the page.
"""

import streamlit as st

if __name__ != "__main__":
    from workbench import gate

    app = st.App(__file__, **gate.options(st.get_option))
else:
    from workbench.ui.kit.address import enter, look_back
    from workbench.ui.kit.theme import dress, refuse_ungated, set_aside_imports

    st.set_page_config(page_title="Contrastive workbench", page_icon="assets/icon.svg", layout="wide")
    refuse_ungated()
    dress()
    set_aside_imports()
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
    enter(page.url_path)
    try:
        page.run()
    finally:
        look_back()
