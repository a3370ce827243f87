"""How long a run will take, by those that ended here."""

from dataclasses import replace

import pytest

from tests.trial import config_of
from workbench.core.writing import append_line
from workbench.preflight import estimates
from workbench.recipes import settle
from workbench.store import events, names
from workbench.store.create import create


def ended(folder, config, *, step_seconds, seconds, monkeypatch):
    run = create(folder, config)
    clock = iter((100.0, 101.0, 100.0 + seconds))
    for event in ("starting", "running", "done"):
        monkeypatch.setattr(events.time, "time", lambda: next(clock))
        events.add(run.folder, event)
        monkeypatch.undo()
    for step in range(1, config.training.steps + 1):
        append_line(run.folder / names.STEPS, {"step": step, "seconds": step_seconds})
    return run


def test_time_per_step_is_multiplied_and_other_time_is_not(folder, tiny, monkeypatch):
    config = config_of(tiny)  # 10 steps of 8 texts
    assert estimates.seconds(folder, [config]) is None
    ended(folder, config, step_seconds=0.5, seconds=25.0, monkeypatch=monkeypatch)  # 5 s of steps, 20 s beside
    assert estimates.seconds(folder, [config]) == pytest.approx(25)
    longer = config_of(tiny, steps=1000)
    assert estimates.seconds(folder, [longer]) == pytest.approx(500 + 20)
    wider = config_of(tiny, steps=1000, batch_size=16)
    assert estimates.seconds(folder, [longer, wider]) == pytest.approx(500 + 20 + 1000 + 20)


def test_epochs_are_converted_by_a_similar_run_on_the_same_corpus(folder, tiny, monkeypatch):
    config = config_of(tiny)
    known = replace(config, corpus=replace(config.corpus, rows=80))
    ended(folder, known, step_seconds=0.5, seconds=25.0, monkeypatch=monkeypatch)
    twice = replace(config, training=replace(config.training, epochs=2.0, batch_size=16))  # 10 steps of 16 texts
    assert estimates.seconds(folder, [twice]) == pytest.approx(10 + 20)
    elsewhere = replace(twice, corpus=replace(twice.corpus, source="demo"))
    assert estimates.seconds(folder, [elsewhere]) is None


def test_other_recipes_and_epochs_on_an_unread_corpus_have_no_estimate(folder, tiny, monkeypatch):
    config = config_of(tiny)
    ended(folder, config, step_seconds=0.5, seconds=25.0, monkeypatch=monkeypatch)
    other = settle("una", backbone=config.model.backbone, corpus=config.corpus.source)
    assert estimates.seconds(folder, [other]) is None and estimates.seconds(folder, [config, other]) is None
    passes = settle("simcse_unsup", backbone=config.model.backbone, changes={"epochs": 1.0})
    assert estimates.seconds(folder, [passes]) is None


def test_before_any_run_has_ended_one_in_training_tells(folder, tiny, monkeypatch):
    config = config_of(tiny)
    run = create(folder, config)
    clock = iter((100.0, 103.0))
    for event in ("starting", "running"):
        monkeypatch.setattr(events.time, "time", lambda: next(clock))
        events.add(run.folder, event)
        monkeypatch.undo()
    for step in range(1, 6):
        assert estimates.seconds(folder, [config]) is None, "four steps tell too little"
        append_line(run.folder / names.STEPS, {"step": step, "seconds": 0.5})
    assert estimates.seconds(folder, [config]) == pytest.approx(10 * 0.5 + 3)
    ended(folder, config, step_seconds=0.5, seconds=25.0, monkeypatch=monkeypatch)
    assert estimates.seconds(folder, [config]) == pytest.approx(25), "one that has ended knows all of it"
