"""What is done before anybody asks for it: imports while the browser loads the app, and the start of the compute process."""

from contextlib import suppress
from importlib import import_module
from threading import Thread, Timer

import streamlit as st

from workbench.core.errors import WorkbenchError
from workbench.processes.service import processes_off
from workbench.store.names import RunsFolder, runs_folder

_FIRST = ("pandas", "plotly.graph_objects", "workbench.plots.projection", "workbench.plots.plane")
"""What the first page draws with. Not pages: what they cache needs a server that runs."""
_STARTED, _SECONDS = "compute started", 1.5


def import_ahead() -> None:
    """Import what the first page needs, in a thread: the browser loads the app for a second before it asks for the page."""
    Thread(target=lambda: [import_module(name) for name in _FIRST], daemon=True).start()


def start_compute(*, at_once: bool = False) -> None:
    """Start the compute process with the first page of a session, so that no question waits for its imports.

    `at_once` is for a page that asks something: its own imports take a second. Else later: the browser needs the cores to draw.
    Never with WORKBENCH_PROCESSES=off.
    """
    if not (processes_off() or st.session_state.get(_STARTED)):
        st.session_state[_STARTED] = True
        timer = Timer(0 if at_once else _SECONDS, _start, [runs_folder()])
        timer.daemon = True
        timer.start()


def _start(folder: RunsFolder) -> None:
    from workbench.compute.tickets import compute

    with suppress(WorkbenchError, OSError):  # a page that asks says what is wrong
        compute(folder).ensure()
    import_module("workbench.api")  # for the next page
