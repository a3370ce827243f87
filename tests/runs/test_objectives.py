"""Runs with objectives: stopped, resumed and finished, their own tensors kept on the way and left behind at the end."""

import json
from dataclasses import replace
from itertools import count

import pytest
import torch

from tests.objectives.trial import contrast, masked_model, view
from tests.runs.trial import losses, stop_at, work
from tests.trial import config_of
from workbench.core.config import Term
from workbench.models.load import load
from workbench.plots.curves import curves
from workbench.preflight.corpora import with_corpus
from workbench.recipes.terms import settled_terms
from workbench.scoring.pair_scores import Scored
from workbench.store import checkpoints, names
from workbench.store.create import create

pytestmark = pytest.mark.usefixtures("worker_here")


@pytest.fixture(scope="module")
def masked(tmp_path_factory):
    return masked_model(tmp_path_factory.mktemp("masked"))


def run_of(folder, tiny, backbone, *terms):
    config = config_of(tiny, steps=10, accept=["batch_norm"])  # of the projector of scd, in batches of 8
    config = replace(config, terms=settled_terms(terms, {})[0], model=replace(config.model, backbone=str(backbone)))
    return create(folder, with_corpus(config))


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
    encoder = load(str(again.folder / names.MODEL))
    assert encoder.encode(["the man"]).shape == (1, 32)


def test_without_partners_the_missing_accuracy_is_valid_json(folder, tiny, masked):
    run = work(run_of(folder, tiny, masked, *TERMS["ct"]))
    lines = (run.folder / names.STEPS).read_text().splitlines()
    rows = [json.loads(line, parse_constant=lambda word: pytest.fail(word)) for line in lines]
    assert len(rows) == 10 and all(row["accuracy"] is None for row in rows)
    assert run.steps["accuracy"].isna().all()
    titles = {note.text for note in curves(run.steps.assign(target=run.id)).layout.annotations}
    assert any("loss" in title for title in titles) and not any("accuracy" in title for title in titles)


@pytest.mark.parametrize("keep", ["better", "second"])
def test_the_better_encoder_of_two_is_kept(folder, tiny, masked, monkeypatch, keep):
    """Every evaluation finds what it is given better than what it was given before: so the first encoder, which comes second."""
    counted, plain = count(), Scored.evaluate
    better = lambda self, encode: [{**row, "spearman": next(counted) / 1000} for row in plain(self, encode)]  # noqa: E731
    monkeypatch.setattr(Scored, "evaluate", better)
    term = Term(views={"a": view(dropout="off")}, objective="ct", settings={"keep": keep})
    run = work(run_of(folder, tiny, masked, term))
    assert run.state == "done", run.log()
    weights, _, state = checkpoints.load(run.folder / names.CHECKPOINTS / "best")
    twin = {key.removeprefix("objectives.0.twin."): one for key, one in weights.items() if ".twin." in key}
    same = [torch.equal(weights[f"backbone.{key}"], one) for key, one in twin.items()]
    assert all(same) == (keep == "better") and state["step"] == 10
    assert state.get("rival", "") == ("0.ct.first" if keep == "better" else "")
    scores = run.scores.set_index(["checkpoint", "pairs"])["uniformity"].unstack().iloc[:, 0]
    assert (scores["best"] == scores["last"]) == (keep == "second")
    exported = load(str(run.folder / names.MODEL)).backbone.state_dict()
    assert torch.equal(
        exported["encoder.layer.0.output.dense.weight"], weights["backbone.encoder.layer.0.output.dense.weight"]
    )
