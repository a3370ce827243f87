"""The frame: page settings and the menu. Each page answers one question and lives in pages/.

Streamlit reads this file twice: as the module that says how the app is served, and, for each view, as the page.
"""

import streamlit as st

if __name__ != "__main__":
    from workbench import gate
    from workbench.ui.kit.ahead import import_ahead, start_compute

    start_compute()
    import_ahead()
    app = st.App(__file__, **gate.options(st.get_option))
else:
    from workbench.ui.kit.address import enter_page, say_dropped
    from workbench.ui.kit.ahead import start_compute
    from workbench.ui.kit.asked import begin_asking, make_way
    from workbench.ui.kit.ending import run_page
    from workbench.ui.kit.notices import name_left_out
    from workbench.ui.kit.theme import ICON, apply_style, freeze_imports, refuse_outdated, refuse_ungated

    name = "Contrastive workbench"
    st.set_page_config(page_icon=ICON, layout="wide")
    refuse_ungated()
    apply_style()
    refuse_outdated()
    freeze_imports()
    page = st.navigation(
        [
            st.Page("pages/learn.py", title="Learn"),
            st.Page("pages/home.py", title="Home", default=True),
            st.Page("pages/augment.py", title="Augment"),
            st.Page("pages/train.py", title="Train"),
            st.Page("pages/runs.py", title="Runs"),
            st.Page("pages/compare.py", title="Compare"),
            st.Page("pages/explore.py", title="Explore"),
            st.Page("pages/gold.py", title="Gold", visibility="hidden"),  # Home has a link
            st.Page("pages/gallery.py", title="Figures of the papers", visibility="hidden"),  # Home has a link
        ],
        position="top",
    )
    st.set_page_config(page_title=f"{page.title} · {name}" if page.url_path else name)
    enter_page(page.url_path)
    start_compute()  # it ends when nobody asks for long
    name_left_out()
    begin_asking()
    above = st.container()
    run_page(page.run)
    with above:
        say_dropped()
    make_way()
