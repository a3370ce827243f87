"""Deletes runs after a confirmation, and says what was deleted and how much space that freed."""

from collections.abc import Sequence

import streamlit as st

from workbench import api
from workbench.core.errors import WorkbenchError
from workbench.ui.kit.address import write_address
from workbench.ui.kit.notices import trouble
from workbench.ui.kit.words import count, join_names, plain, size
from workbench.ui.runs.listing import SELECTED
from workbench.ui.targets.names import run_name

_DELETED = "runs.deleted"
"""Session key: what was just deleted, in words, and what could not be."""


def delete_button(runs: Sequence[api.Run]) -> None:
    """A button that asks for confirmation before it deletes these runs."""
    what = "this run" if len(runs) == 1 else f"these {count(len(runs))} runs"
    key = ".".join(run.id for run in runs)
    with st.popover(f"Delete {what}", icon=":material/delete:", key=f"delete.{key}"):
        if live := [run_name(run) for run in runs if run.live]:
            st.markdown(
                plain(f"{join_names(live)} {'is' if len(live) == 1 else 'are'} waiting or running: stop first.")
            )
            return
        st.markdown(f"Delete {what} with all checkpoints, models and curves? This cannot be undone.")
        if st.button(f"Delete {what} permanently", key=f"deletes.{key}", type="primary"):
            with st.spinner(f"Deleting {what}", show_time=True):  # a hundred take seconds
                _delete(runs)
            st.rerun()


def _delete(runs: Sequence[api.Run]) -> None:
    freed, gone, troubles = 0, [], []
    for run in sorted(
        runs, key=lambda run: run.id, reverse=True
    ):  # second stages before the runs that they started from
        name = run_name(run)
        try:
            freed += api.delete(run, run.id)
            gone.append(name)
        except WorkbenchError as error:
            troubles.append(error)
    words = f"Deleted: {join_names(gone)}. That freed {size(freed)}." if gone else ""
    st.session_state[_DELETED] = (words, troubles)
    st.session_state.pop("run", None)
    write_address("run", [])
    st.session_state[SELECTED] = []


def say_deleted() -> None:
    """What was deleted by the last press of the button, once."""
    words, troubles = st.session_state.pop(_DELETED, ("", []))
    if words:
        st.success(plain(words), icon=":material/delete:")
    for error in troubles:
        trouble(error)
