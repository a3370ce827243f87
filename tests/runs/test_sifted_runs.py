"""Runs of which a view keeps only the rows that its augmentation changed."""

from dataclasses import replace

import pytest

from tests.runs.trial import losses, new, stop_at, work
from tests.trial import TEXTS, config_of
from workbench.preflight.corpora import with_corpus
from workbench.store import names
from workbench.store.create import create

pytestmark = pytest.mark.usefixtures("worker_here")

B = "terms.0.views.b"
SOME = {f"{B}.augmentation": "eda_swap@0.6", f"{B}.only_changed": True, "augmenting.resample": False}


@pytest.fixture
def folder(tmp_path):
    return names.runs_folder(tmp_path / "runs")


def notices(run):
    return [row["message"] for row in run.events if row["event"] == "notice" and "rows (" in row["message"]]


def test_it_reports_how_many_rows_remain_and_resumes_bit_for_bit(folder, tiny, monkeypatch):
    whole = work(new(folder, tiny, steps=12, **SOME))
    assert whole.state == "done", whole.log()
    (said,) = notices(whole)
    assert "eda_swap" in said and f"of {len(TEXTS)} rows" in said
    with monkeypatch.context() as patch:
        stop_at(patch, 5)
        run = work(new(folder, tiny, steps=12, **SOME))
    assert run.state == "stopped" and run.progress.step == 5
    run = work(run, again=True)
    assert run.state == "done" and losses(run) == losses(whole) and len(notices(run)) == 1


def test_epochs_are_of_the_rows_that_stay(folder, tiny):
    config = config_of(tiny, **SOME)
    config = replace(config, training=replace(config.training, epochs=2.0))
    run = work(create(folder, with_corpus(config)))
    assert run.state == "done", run.log()
    rows = int(notices(run)[0].split(" in ")[1].split(" of ")[0])
    steps = 2 * (rows // run.config.training.batch_size)
    assert run.config.training.steps == run.progress.step == steps < 2 * (len(TEXTS) // run.config.training.batch_size)


def test_too_few_are_refused_before_the_first_step(folder, tiny):
    run = work(new(folder, tiny, steps=5, **{**SOME, f"{B}.augmentation": "eda_swap@0.01"}))
    assert run.state == "failed" and run.progress.step == 0
    message = run.events[-1]["message"]
    assert "eda_swap" in message and "fewer than one batch" in message
