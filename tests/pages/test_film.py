"""The film of a run on its page."""

import json

import pytest

from tests.pages.trial import open_page, words_of
from tests.run_folders import film_run, make_run
from workbench import api
from workbench.film import document
from workbench.film.tables import film_tables


def drawn(app):
    """What the component of the film is given."""
    return [json.loads(component.proto.json) for component in app.get("bidi_component")]


@pytest.mark.parametrize("state", ["done", "stopped", "failed"])
def test_a_button_shows_the_film_and_closes_it(runs, answers, state):
    run = film_run(make_run(runs, state=state))
    app = open_page("runs")
    assert not drawn(app) and not answers.of("film"), "nothing is computed before somebody asks"
    app.button(key=f"film.{run.id}.open").click().run()
    assert not app.exception and app.query_params["film"] == "open"
    assert drawn(app) == [document.data(film_tables(run))]
    assert f"workbench film {run.id} --html film.html" in " ".join(code.value for code in app.code)
    app.button(key=f"film.{run.id}.close").click().run()
    assert not drawn(app) and "film" not in app.query_params


def test_a_link_opens_the_film_and_it_can_be_saved(runs, answers):
    run = film_run(make_run(runs))
    app = open_page("runs", run=run.id, film="open")
    assert len(drawn(app)) == 1
    [save] = [button for button in app.get("download_button") if button.proto.label == "Save as one HTML file"]
    assert save.proto.id


def test_a_run_without_frames_says_what_to_do(runs, answers):
    make_run(runs)
    app = open_page("runs", film="open")
    assert not app.exception and not drawn(app)
    assert "Train it again" in " ".join(error.value for error in app.error)


def test_the_film_of_a_run_in_training_is_what_there_is_so_far_and_grows(runs, answers, monkeypatch):
    run = film_run(make_run(runs, state="running"), steps=(0,))
    monkeypatch.setattr(api.Run, "live", property(lambda self: self.id == run.id))
    app = open_page("runs", film="open")
    assert not app.exception and not drawn(app), "one frame is no film"
    assert not answers.of("film")
    film_run(run, steps=(0, 10))
    app.run()
    assert [film["steps"] for film in drawn(app)] == [[0, 10]] and "So far: 2 frames" in words_of(app)
    answers.states["film"] = "running"
    film_run(run, steps=(0, 10, 20))
    app.run()
    assert [film["steps"] for film in drawn(app)] == [[0, 10]], "until the newer one is there"
    answers.tickets["film"].state = answers.states["film"] = "done"
    app.run()
    assert [film["steps"] for film in drawn(app)] == [[0, 10, 20]] and "So far: 3 frames" in words_of(app)
    asked = len(answers.of("film"))
    assert asked >= 3 and len({str(given) for given in answers.of("film")}) == 1
