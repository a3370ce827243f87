from streamlit.testing.v1 import AppTest

from workbench.processes.service import Service
from workbench.ui.kit import asking


def page():
    from workbench.ui.kit.asking import start_ahead

    start_ahead()


def test_the_compute_process_is_started_once_for_each_session(runs, monkeypatch):
    started = []
    monkeypatch.setattr(Service, "ensure", lambda self: started.append((self.name, self.folder)))
    monkeypatch.setattr(asking, "Timer", Immediate)
    session = AppTest.from_function(page).run()
    assert started == [("compute", runs.path)]
    session.run()
    assert len(started) == 1
    AppTest.from_function(page).run()
    assert len(started) == 2


class Immediate:
    """A timer that does not wait."""

    def __init__(self, seconds, function, arguments):
        assert seconds > 0
        self.function, self.arguments = function, arguments

    def start(self):
        self.function(*self.arguments)
