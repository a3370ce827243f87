"""The newest runs of whoever comes back."""

import streamlit as st

from workbench import api
from workbench.store.listed import Row, rows
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.words import SIGNS, plain, score
from workbench.ui.targets.names import shown_name

_SHOWN = 3
"""How many runs are shown, one to a column."""


def recent_runs() -> None:
    """The newest runs with their state and score, each a link; nothing on the first visit."""
    newest = api.runs(newest=_SHOWN)[:_SHOWN]
    if not newest:
        return
    st.header("Your newest runs")
    for column, run, row in zip(st.columns(_SHOWN, gap="large"), newest, rows(newest), strict=False):
        with column:
            name = shown_name(run.id, row.name)
            st.page_link(
                "pages/runs.py", label=plain(name), icon=":material/arrow_forward:", query_params={"run": run.id}
            )
            quiet(_about(row))
    st.space("small")


def _about(row: Row) -> str:
    """State, recipe and score in one line."""
    about = row.about
    told = [SIGNS["" if row.problem else about.state], *([f"{row.recipe} on {row.backbone}"] if row.recipe else [])]
    if row.test_spearman is not None:
        told.append(f"Spearman {score(row.test_spearman)} on {row.test_pairs}")
    elif about.spearman is not None:
        told.append(f"Spearman {score(about.spearman)} in its probes")
    return ", ".join(told)
