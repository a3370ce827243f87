"""The lesson in the page: its step in the address, its numbers, and what is computed or trained on request."""

import json

from tests.pages.trial import open_page, words_of
from tests.run_folders import film_run, make_run
from tests.tiny import tiny_model
from workbench import api
from workbench.lesson.words import read

STEPS = [step["id"] for step in read()["words"]["steps"]]


def shown(app):
    """What the component is given."""
    [component] = app.get("bidi_component")
    return json.loads(component.proto.json)


def pressed(app, name, value):
    """The page after the component has sent something. AppTest cannot send it, so its callback is called as Streamlit would."""
    app.session_state[f"lesson.{name}"] = value
    return app.run()


def test_the_first_step_comes_first_and_the_address_chooses(runs, answers):
    app = open_page("learn")
    assert not app.exception and shown(app)["step"] == STEPS[0] and shown(app)["page"] is True
    assert shown(open_page("learn", step="layers"))["step"] == "layers"
    app = open_page("learn", step="nonsense")
    assert shown(app)["step"] == STEPS[0] and "There is no “nonsense” here; the first step" in app.warning[0].value


def test_the_page_has_the_shipped_words_and_numbers(runs, answers):
    data = shown(open_page("learn"))
    assert data["words"] == read()["words"] and data["numbers"] == read()["numbers"] and data["live"] == {}
    assert read()["words"]["title"] in words_of(open_page("learn"))


def test_what_is_computed_here_stands_beside_the_shipped_numbers(runs, answers):
    app = pressed(open_page("learn", step="mean"), "computed", ["mean"])
    assert not app.exception
    live = shown(app)["live"]["mean"]
    assert live["numbers"].keys() == read()["numbers"]["steps"]["mean"].keys()
    assert live["before"].startswith("mini-mlm") and shown(app)["numbers"] == read()["numbers"]
    [given] = answers.of("lesson")
    assert given["step"] == "mean" and given["before"] == "mini-mlm"


def test_the_button_says_that_a_step_is_being_computed(runs, answers):
    answers.states["lesson"] = "running"
    app = pressed(open_page("learn", step="mean"), "computed", ["mean"])
    assert not app.exception and shown(app)["pending"] == ["mean"] and shown(app)["live"] == {}


def test_a_failure_is_shown_and_the_lesson_stays(runs, answers):
    answers.states["lesson"] = "failed"
    app = pressed(open_page("learn", step="mean"), "computed", ["mean"])
    assert not app.exception and app.error and shown(app)["live"] == {}


def test_the_training_of_the_lesson_is_the_one_that_home_starts_and_the_lesson_goes_on(runs, answers):
    app = open_page("learn", step="film")
    assert shown(app)["run"] is None
    app = pressed(app, "train", True)
    assert not app.exception and app.title[0].value == "Learn" and shown(app)["step"] == "film"
    [run] = api.runs()
    assert run.config.corpus.source == "demo" and run.config.training.seed == read()["numbers"]["made"]["seed"]
    assert shown(app)["run"] == {"id": run.id, "name": run.label, "over": False}
    app = pressed(app, "train", True)
    assert [one.id for one in api.runs()] == [run.id], "a second click starts no second run"
    app = pressed(app, "open", True)
    assert not app.exception and app.title[0].value == "Runs" and app.query_params["run"] == run.id


def test_a_run_that_was_deleted_since_is_no_longer_spoken_of(runs, answers):
    app = pressed(open_page("learn", step="film"), "run", "no-such-run")
    assert not app.exception and shown(app)["run"] is None


def test_the_film_of_the_newest_run_is_one_click_away_once_there_is_one(runs, answers):
    make_run(runs)
    assert shown(open_page("learn", step="film"))["film"] is False
    run = film_run(make_run(runs, 1))
    app = open_page("learn", step="film")
    assert shown(app)["film"] is True
    app = pressed(app, "watch", True)
    assert not app.exception and app.title[0].value == "Runs"
    assert (app.query_params["run"], app.query_params["film"]) == (run.id, "open")


def test_home_leads_to_it(runs, answers):
    links = [element.proto.page for element in open_page("home").get("page_link")]
    assert any("learn" in link for link in links)


def test_no_model_outside_the_allowed_folders_is_loaded(runs, answers, tmp_path):
    folder = str(tiny_model(tmp_path / "elsewhere"))
    for address in ({"before": folder}, {"after": folder}):
        app = pressed(open_page("learn", step="mean", **address), "computed", ["mean"])
        assert not app.exception and "may not be read" in app.error[0].value and not answers.of("lesson")
