"""What the page Runs says of each run, and lets one do."""

import pytest

from tests.pages.conftest import make_run, open_page, words_of
from workbench import api


@pytest.mark.parametrize(
    ("state", "word"),
    [("done", "finished"), ("failed", "no longer a number"), ("running", "not running"), ("queued", "waits")],
)
def test_a_state_is_said_in_plain_words(runs, answers, state, word):
    make_run(runs, state=state)  # nobody works on it: what claims to run is lost
    app = open_page("runs")
    assert not app.exception
    assert word in words_of(app) + " ".join(error.value for error in app.error)


def test_the_table_is_never_empty_handed(runs, answers):
    make_run(runs, name="a *name*")
    table = open_page("runs").dataframe[0].value
    assert table["state"].tolist() == ["● done"]
    assert table["best dev"].tolist() == ["52.00"]
    assert table["run"].tolist() == ["a *name* (0000)"]


def test_stop_is_asked_and_answered_at_once(runs, answers, monkeypatch):
    run = make_run(runs, state="queued")
    stopped = []
    monkeypatch.setattr(api, "stop", lambda run: stopped.append(run.id))
    app = open_page("runs")
    app.button(key=f"stop.{run.id}").click().run()
    assert stopped == [run.id]


def test_resume_is_offered_to_what_ended_early(runs, answers, monkeypatch):
    run = make_run(runs, state="stopped")
    resumed = []
    monkeypatch.setattr(api, "resume", lambda run: resumed.append(run.id))
    app = open_page("runs")
    app.button(key=f"resume.{run.id}").click().run()
    assert resumed == [run.id]


def test_deletion_wants_the_whole_id(runs, answers):
    run = make_run(runs)
    app = open_page("runs")
    assert app.button(key=f"deletes.{run.id}").disabled
    app.text_input(key=f"delete.{run.id}").set_value(run.id).run()
    app.button(key=f"deletes.{run.id}").click().run()
    assert not run.folder.exists()
    assert "No run yet" in words_of(app)


def test_a_link_to_a_run_that_is_not_here_says_so(runs, answers):
    make_run(runs)
    app = open_page("runs", run="20990101-000000-gone")
    assert not app.exception
    assert "There is no run 20990101-000000-gone" in words_of(app)
