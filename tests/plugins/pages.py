"""Pages without processes: a runs folder of our own, and answers that are there at once."""

import json
from functools import cache

import pytest


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """An empty runs folder that pages read."""
    from workbench.store import names

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


@pytest.fixture
def framed(monkeypatch, one_look_at_the_packages):
    """AppTest forgets before each run that app.py has pages of its own; a server forgets it only once (see kit.theme.framed)."""
    from streamlit.runtime.pages_manager import PagesManager

    original = PagesManager.__init__

    def remembering(self, *args, **kwargs):
        original(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", remembering)


@pytest.fixture
def answers(monkeypatch):
    """Every question is answered at once. What was asked is listed; `answers.state` changes what comes back."""

    from tests.pages import trial
    from workbench import api

    class Asked(list):
        state = "done"

    asked = Asked()

    def submit(verb, *, session="", slot="", runs=None, **arguments):
        assert session and slot
        json.dumps(arguments)
        asked.append((verb, arguments))
        if asked.state == "done":
            return trial.Told(f"{verb} {arguments}", api.Answer("done", 1.0, trial.made_up(verb, arguments)))
        return trial.Told(
            f"{verb} {arguments}", api.Answer(asked.state, 0.3, error="The model is gone.", note="Loading <b>it</b>")
        )

    monkeypatch.setattr(api, "submit", submit)
    return asked
