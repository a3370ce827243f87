"""Runs with objectives: stopped, resumed and finished, their own tensors kept on the way and left behind at the end."""

from dataclasses import replace

import pytest

from tests.jobs.test_worker import _process, losses, stop_at, work  # noqa: F401
from tests.objectives.trial import contrast, masked_model, view
from tests.trial import config_of
from workbench.core.config import Term
from workbench.jobs import checkpoints, launch
from workbench.models.load import load_folder
from workbench.recipes.settle import _terms
from workbench.store import names
from workbench.store.create import create


@pytest.fixture(scope="module")
def masked(tmp_path_factory):
    return masked_model(tmp_path_factory.mktemp("masked"))


def run_of(folder, tiny, backbone, *terms):
    config = config_of(tiny, steps=10)
    config = replace(config, terms=_terms(terms, {})[0], model=replace(config.model, backbone=str(backbone)))
    return create(folder, launch.with_corpus(config))


TERMS = {
    "mlm_aux": [contrast(), Term(views={"a": view(0), "b": view(1)}, objective="mlm_aux", weight=0.1)],
    "ct": [Term(views={"a": view(dropout="off")}, objective="ct")],
    "scd": [
        Term(
            views={"a": view(0, dropout=0.05), "b": view(1, dropout=0.15)}, objective="scd", settings={"sizes": "16-8"}
        )
    ],
}


@pytest.mark.parametrize("name", TERMS)
def test_a_run_stopped_and_resumed_is_the_undisturbed_one(folder, tiny, masked, monkeypatch, name):
    whole = work(run_of(folder, tiny, masked, *TERMS[name]))
    assert whole.state == "done", whole.log()
    with monkeypatch.context() as patch:
        stop_at(patch, 5)
        stopped = work(run_of(folder, tiny, masked, *TERMS[name]))
        assert stopped.state == "stopped" and stopped.progress.step == 5
        kept, moments, _ = checkpoints.load(stopped.folder / names.CHECKPOINTS / "last")
        own = [key for key in kept if key.startswith("objectives.")]
        assert own and {key.rsplit("/", 1)[0] for key in moments} & set(own)
    again = work(stopped, again=True)
    assert again.state == "done", again.log()
    assert losses(again) == losses(whole)
    assert list(whole.steps.columns) == list(again.steps.columns)
    assert any(column.startswith(f"losses.{len(TERMS[name]) - 1}.{name}") for column in whole.steps.columns)
    encoder = load_folder(again.folder / names.MODEL)
    assert encoder.encode(["the man"]).shape == (1, 32)
