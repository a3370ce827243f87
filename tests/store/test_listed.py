"""The list of runs, and what is kept of it."""

from tests.run_folders import make_run
from workbench.store import listed
from workbench.store.names import runs_folder


def test_an_interruption_loses_no_more_than_the_last_rows(tmp_path, monkeypatch):
    place = runs_folder(tmp_path / "runs")
    made = [make_run(place, number, state="done") for number in range(5)]
    monkeypatch.setattr(listed, "_OFTEN", 2)
    listed.rows(made)
    monkeypatch.setattr(listed, "_FOLDERS", {})  # another process
    read = []
    monkeypatch.setattr(listed, "_read", lambda run: read.append(run.id))
    listed.rows(made[:4])
    assert not read
