"""The button on Home that computes what Home shows."""

import streamlit as st

from workbench import api
from workbench.ui.home.demo import Case
from workbench.ui.kit.notices import quiet


def run_now(case: Case) -> None:
    """Start the run that the first comparison shows, with its first seed, and open it on Runs.

    It is the default run of form, interface and command line: a test holds the shipped configuration to it.
    """
    if st.button("Run this now", type="primary", key="run_now", icon=":material/play_arrow:"):
        with st.spinner("Queueing the run", show_time=True):
            queued = api.submit_run(api.settle(seed=case["seeds"][0]))
        st.switch_page("pages/runs.py", query_params={"run": queued.id})
    quiet(
        f"Trains {case['backbone']} for {case['steps']} steps on this machine, with seed {case['seeds'][0]}, and shows what "
        "changed: about a minute on two cores. Nothing is downloaded."
    )
