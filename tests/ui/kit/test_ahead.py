import subprocess
import sys

import pytest
from streamlit.testing.v1 import AppTest

from workbench.processes.service import Service
from workbench.ui.kit import ahead


def page():
    from workbench.ui.kit.ahead import start_compute

    start_compute()


@pytest.mark.parametrize("variable", ["off", ""])
def test_the_compute_process_is_started_once_for_each_session(variable, runs, monkeypatch):
    monkeypatch.setenv("WORKBENCH_PROCESSES", variable)
    started = []
    monkeypatch.setattr(Service, "ensure", lambda self: started.append((self.name, self.folder)))
    monkeypatch.setattr(ahead, "Timer", Immediate)
    session = AppTest.from_function(page).run()
    session.run()
    assert started == ([] if variable == "off" else [("compute", runs.path)])
    AppTest.from_function(page).run()
    assert len(started) == (0 if variable == "off" else 2)


class Immediate:
    """A timer that does not wait."""

    def __init__(self, seconds, function, arguments):
        assert seconds > 0
        self.function, self.arguments = function, arguments

    def start(self):
        self.function(*self.arguments)


def test_what_the_first_page_needs_is_imported_without_the_process_that_serves_waiting():
    code = (
        "import sys, threading; from workbench.ui.kit import ahead; assert 'workbench.plots.plane' not in sys.modules;"
        "ahead.import_ahead(); [one.join() for one in threading.enumerate() if one is not threading.main_thread()];"
        "print([name for name in ('pandas', 'plotly.graph_objects', 'workbench.plots.plane', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['pandas', 'plotly.graph_objects', 'workbench.plots.plane']"
