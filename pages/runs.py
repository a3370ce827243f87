"""What is running, what has run, and how did it go?"""

import streamlit as st

from workbench.ui.kit.ending import end_page
from workbench.ui.kit.notices import empty, guarded
from workbench.ui.kit.repeat import repeat
from workbench.ui.kit.theme import require_frame
from workbench.ui.runs import (
    import_archive,
    listed_runs,
    live_table,
    pick_run,
    say_deleted,
    selected_runs,
    show_details,
    show_live,
    show_selection,
)

require_frame()
st.title("Runs")
with guarded():
    say_deleted()
    runs = listed_runs()
    if not runs:
        empty(
            "No runs yet.",
            "The first one takes about a minute: press Run this now on Home, or set up your own on Train.",
        )
        st.page_link("pages/home.py", label="Go to Home", icon=":material/arrow_forward:")
        st.page_link("pages/train.py", label="Go to Train", icon=":material/arrow_forward:")
        import_archive()
        end_page()
    live_table(runs)
    if several := selected_runs(runs):
        show_selection(several)
    elif (run := pick_run(runs)) is not None:
        show_live(run)
        show_details(run)
        repeat(f"run = api.run({run.id!r})", "run.state, run.progress, run.probes")
    import_archive()
