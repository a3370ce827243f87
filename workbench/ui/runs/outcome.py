"""What a training did, before anything else in the panel of its run."""

import streamlit as st

from workbench import api
from workbench.store.outcomes import headline, others
from workbench.ui.kit.figures import takeaway
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.words import html


def show_outcome(run: api.Run) -> None:
    """Whether training helped, where pair sets disagree, and the likely reasons if it did not. Nothing until the run is done."""
    outcome = run.outcome
    if outcome is None:
        return
    takeaway(headline(outcome), about=f"outcome.{run.id}")
    for line in others(outcome):
        quiet(line)
    if outcome["reasons"]:
        items = "".join(f"<li>{html(reason)}</li>" for reason in outcome["reasons"])
        st.html(f"<p>Likely reasons:</p><ul>{items}</ul>")
