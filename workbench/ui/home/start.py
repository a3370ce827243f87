"""Two ways to begin: the button that computes what Home shows, and the field for a checkpoint of one's own."""

import streamlit as st

from workbench import api
from workbench.ui.home.demo import Case
from workbench.ui.kit.notices import quiet
from workbench.ui.targets.choice import beside_own
from workbench.ui.targets.own_model import own_model

_ENTERED = "home.own_model.entered"
"""Session key: the model that was just entered. A callback cannot change the page."""


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


def own_checkpoint() -> None:
    """A field for a checkpoint of one's own, which Compare then shows beside its raw encoder."""
    own_model("home", lambda name: st.session_state.update({_ENTERED: name}))
    if name := st.session_state.pop(_ENTERED, ""):
        st.switch_page("pages/compare.py", query_params={"targets": beside_own(name)})
