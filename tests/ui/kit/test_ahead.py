import subprocess
import sys
import threading

import pytest

from workbench.core.errors import Refused
from workbench.processes.service import Service
from workbench.ui.kit import ahead


@pytest.mark.parametrize("variable", ["off", ""])
def test_the_compute_process_is_started_for_each_view_unless_it_may_not_be(variable, runs, monkeypatch):
    monkeypatch.setenv("WORKBENCH_PROCESSES", variable)
    started = []
    monkeypatch.setattr(Service, "ensure", lambda self, *, adopt=False: started.append((self.name, self.folder, adopt)))
    ahead.start_compute()
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and thread.daemon and "_start" in thread.name:
            thread.join()
    assert started == ([] if variable == "off" else [("compute", runs.path, True)])


def test_a_folder_that_cannot_be_used_does_not_stop_the_app(runs, monkeypatch):
    monkeypatch.delenv("WORKBENCH_PROCESSES", raising=False)

    def refuse(self, *, adopt=False):
        raise Refused("The disk is full.")

    monkeypatch.setattr(Service, "ensure", refuse)
    failed = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    ahead.start_compute()
    for thread in threading.enumerate():
        if "_start" in thread.name:
            thread.join()
    assert not failed


def test_what_the_first_page_needs_is_imported_without_the_process_that_serves_waiting():
    code = (
        "import sys, threading; from workbench.ui.kit import ahead; assert 'workbench.plots.plane' not in sys.modules;"
        "ahead.import_ahead(); [one.join() for one in threading.enumerate() if one is not threading.main_thread()];"
        "print([name for name in ('pandas', 'plotly.graph_objects', 'workbench.plots.plane', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['pandas', 'plotly.graph_objects', 'workbench.plots.plane']"
