"""Pages without processes: a runs folder of our own, and answers that are there at once."""

import os
from functools import cache

import pytest


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """An empty runs folder that pages read. No test of a page lasts until the power fails."""
    from workbench.core import writing
    from workbench.store import names

    monkeypatch.setattr(writing, "sync", lambda path: None)

    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")  # a queued run would be trained for real
    return names.runs_folder()


@pytest.fixture(scope="session")
def one_look_at_the_packages():
    """Streamlit reads what every installed package says of itself whenever an app starts; a server starts only once."""
    from streamlit.components.v2 import manifest_scanner

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(scope="session")
def no_polling():
    """AppTest looks a thousand times a second whether a script has ended, which takes the script's own time."""
    from streamlit.testing.v1 import local_script_runner

    original = local_script_runner.require_widgets_deltas

    def ended(runner, timeout=3):
        runner._script_thread.join(timeout)
        if not runner.script_stopped():
            original(runner, 0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "require_widgets_deltas", ended)
        yield


@pytest.fixture
def framed(monkeypatch, one_look_at_the_packages, no_polling):
    """AppTest forgets before each run that app.py has pages of its own; a server forgets it only once (see kit.theme.framed)."""
    from streamlit.runtime.pages_manager import PagesManager

    original = PagesManager.__init__

    def remembering(self, *args, **kwargs):
        original(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", remembering)


@pytest.fixture(scope="session")
def real_answers(tmp_path_factory):
    """The verbs' own answers, shared by all processes that share the tests."""
    from tests.pages.trial import Answers
    from workbench.compute.model_cache import ModelCache
    from workbench.store.names import runs_folder

    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    return Answers(shared / "answers", ModelCache(runs_folder(tmp_path_factory.mktemp("models"))))


@pytest.fixture
def answers(monkeypatch, real_answers):
    """Every question is answered at once, by the verb itself. What was asked is listed; see `Asked`."""
    from tests.pages.trial import Asked
    from workbench import api

    asked = Asked(real_answers)
    monkeypatch.setattr(api, "submit", asked.submit)
    return asked
