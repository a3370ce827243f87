"""What is done before anybody asks for it: imports while the browser loads the app, and the start of the compute process."""

import inspect
from contextlib import suppress
from importlib import import_module
from threading import Thread

from workbench.core.errors import WorkbenchError
from workbench.processes import sources
from workbench.processes.service import processes_off
from workbench.store.names import runs_folder

_FIRST = ("pandas", "plotly.graph_objects", "workbench.plots.projection", "workbench.plots.plane")
"""What the first page draws with. Not pages: what they cache needs a server that runs."""
STARTED_WITH = sources.stamp()
"""The code that this server was started with."""


def import_ahead() -> None:
    """Import what the first page needs, in a thread: the browser loads the app for a second before it asks for the page."""
    Thread(target=_import, daemon=True).start()


def _import() -> None:
    for name in _FIRST:
        import_module(name)
    inspect.stack()  # as Streamlit's first element does; Python then remembers which file is which module
    import_module("workbench.api")  # for the next page


def start_compute() -> None:
    """Start the compute process in a thread, unless it runs: its imports take seconds. Never with WORKBENCH_PROCESSES=off."""
    if not processes_off():
        Thread(target=_start, daemon=True).start()


def _start() -> None:
    from workbench.compute.tickets import compute

    with suppress(WorkbenchError, OSError):  # a page that asks says what is wrong
        compute(runs_folder()).ensure(adopt=True)
