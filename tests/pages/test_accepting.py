"""Where pages ask for what must be accepted, and what a run that ended for it offers."""

import json

import pytest

from tests.pages.test_train_recipes import start
from tests.pages.trial import open_page, unfolded, words_of
from tests.run_folders import make_run
from workbench import api
from workbench.store import events, names
from workbench.verbs import corpus_report

FORM = "train.simcse_unsup.mini-mlm.False.training."


@pytest.fixture
def asked(runs, monkeypatch):
    """The configurations that the page submits."""
    submitted = []

    def submit(configs, on):
        submitted.extend(configs)
        return [make_run(runs, number, state="queued") for number, _ in enumerate(configs, 1)]

    monkeypatch.setattr(api, "submit_run", submit)
    return submitted


def box(app, begins="accepted."):
    return next(box for box in app.checkbox if box.key.startswith(begins))


def test_the_acknowledgement_is_stored_in_the_run_and_its_command(runs, answers, asked):
    app = open_page("train")
    unfolded(app, "train.optimiser")
    app.slider(key=f"{FORM}dropout").set_value(0.0).run()
    assert start(app).disabled and not any("--accept" in code.value for code in app.code)
    box(app).check().run()
    assert any("--accept same_views" in code.value for code in app.code)
    start(app).click().run()
    assert [config.accept for config in asked] == [("same_views",)]


def test_without_a_warning_nothing_is_accepted(runs, answers, asked):
    app = open_page("train")
    assert not app.checkbox or not any(box.key.startswith("accepted.") for box in app.checkbox)
    start(app).click().run()
    assert [config.accept for config in asked] == [()]


def test_a_clone_brings_acknowledgements_of_warnings_that_only_the_worker_saw(runs, answers, asked):
    app = open_page("train", accept=["near_copies", "no_such_thing"])
    assert not app.exception and box(app).value and "nearly repeat" in box(app).label
    start(app).click().run()
    assert [config.accept for config in asked] == [("near_copies",)]


def test_a_clone_starts_with_known_warnings_acknowledged(runs, answers, asked):
    app = open_page("train", set=["training.dropout=0.0"], accept="same_views")
    assert any("identical" in warning.value for warning in app.warning) and box(app).value
    assert not any(
        "`" in warning.value and "\\" in part for warning in app.warning for part in warning.value.split("`")[1::2]
    )
    assert not start(app).disabled


@pytest.fixture
def ended(runs, answers):
    """A run that ended before its first step for the want of a yes."""
    run = make_run(runs, state="running", steps=1)
    report = answers.answer(corpus_report.VERB) | {"must_accept": {"near_copies": "5.0 % nearly repeat."}}
    (run.folder / names.CORPUS).write_text(json.dumps(report))
    words = "A warning was not accepted, so no step was taken. near_copies: 5.0 % nearly repeat."
    events.add(run.folder, "notice", message="5.0 % nearly repeat.")
    events.add(run.folder, events.FAILED, kind="NotAccepted", message=words)
    return run


def test_a_run_refused_for_a_warning_says_so_and_offers_to_accept_it(ended, answers, monkeypatch):
    taken = []
    monkeypatch.setattr(api, "resume", lambda run, **said: taken.append((run.id, {"accept": said["accept"]})))
    app = open_page("runs", run=ended.id)
    said = words_of(app) + " ".join(error.value for error in app.error)
    assert not app.exception and said.count("5.0\u00a0% nearly repeat") == 1
    assert not any(button.label == "Resume" for button in app.button)
    app.button(key=f"accept.{ended.id}").click().run()
    assert taken == [(ended.id, {"accept": ["near_copies"]})]


def test_a_grid_asks_for_what_its_runs_need(runs, answers):
    app = open_page("train", **{"sweep.open": "true"}, set=["training.dropout=0.0"])
    assert not app.exception
    button = app.button(key="sweep.queue")
    assert button.disabled
    box(app, "accepted.grid").check().run()
    assert not app.button(key="sweep.queue").disabled
    assert any("accept=['same_views']" in code.value for code in app.code)
