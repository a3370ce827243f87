"""What is running, what has run, and how did it go?"""

import streamlit as st

from workbench import api, ui

ui.framed()
st.title("Runs")
with ui.guarded():
    runs = api.runs()
    if not runs:
        ui.empty("No run yet.", "A first one takes less than a minute: choose Train, then press Start training.")
        st.page_link("pages/train.py", label="To Train", icon=":material/arrow_forward:")
        ui.import_archive()
        st.stop()
    ui.live_table(runs)
    run = ui.pick_run(runs)
    if run is not None:
        ui.live(run)
        ui.details(run)
        ui.repeat(f"run = api.run({run.id!r})", "run.state, run.progress, run.probes")
    ui.import_archive()
