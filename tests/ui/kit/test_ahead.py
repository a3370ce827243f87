import subprocess
import sys
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from workbench.processes.service import Service
from workbench.ui.kit import ahead, theme

ROOT = Path(__file__).resolve().parents[3]


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


@pytest.mark.parametrize(("path", "events"), [("", ["page", "later"]), ("compare", ["at once", "page"])])
def test_a_page_that_asks_has_the_compute_process_started_before_it_is_built(path, events, runs, monkeypatch):
    monkeypatch.delenv("WORKBENCH_PROCESSES", raising=False)
    noted = []

    class Noted(Immediate):
        def __init__(self, seconds, *rest):
            noted.append("later" if seconds else "at once")
            super().__init__(seconds, *rest)

    class Page:
        url_path = path

        def run(self):
            noted.append("page")

    monkeypatch.setattr(Service, "ensure", lambda self: None)
    monkeypatch.setattr(ahead, "Timer", Noted)
    monkeypatch.setattr(st, "navigation", lambda *_, **__: Page())
    monkeypatch.setattr(theme, "refuse_ungated", lambda: None)
    session = AppTest.from_file(str(ROOT / "app.py")).run()
    assert not session.exception
    assert noted == events


class Immediate:
    """A timer that does not wait."""

    def __init__(self, seconds, function, arguments):
        assert seconds >= 0
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
