"""Corpora of rows, from the file to the losses of a run."""

import json

import pytest

from tests.trial import TEXTS, config_of
from workbench.core.errors import BadData
from workbench.preflight.corpora import with_corpus
from workbench.recipes import settle
from workbench.runs import worker
from workbench.scheduler import launch
from workbench.store import names
from workbench.store.create import create
from workbench.store.run import Run

pytestmark = pytest.mark.usefixtures("worker_here")


@pytest.fixture(scope="module")
def files(tiny):
    """A table of triplets and one of scored pairs."""
    rows = [f"{TEXTS[n]}\t{TEXTS[n + 24]}\t{TEXTS[-n - 1]}" for n in range(24)]
    (tiny / "triplets.tsv").write_text("sent0\tsent1\thard_neg\n" + "\n".join(rows) + "\n")
    return {"triplets": str(tiny / "triplets.tsv"), "scored": str(tiny / "pairs.tsv")}


def config(tiny, recipe, corpus):
    plain = config_of(tiny)
    changes = {"steps": 3, "batch_size": 8, "learning_rate": 1e-3, "precision": "fp32", "threads": 1}
    changes |= {"selection.pairs": plain.selection.pairs, "probe.pairs": plain.probe.pairs, "selection.every": 3}
    changes |= {"evaluation.pairs": plain.evaluation.pairs, "probe.every": 3}
    return settle(recipe, backbone=str(tiny / "bert"), corpus=corpus, changes=changes)


@pytest.mark.parametrize(
    ("recipe", "kind", "roles"),
    [
        ("simcse_sup", "triplets", ["text", "positive", "negative"]),
        ("cosent", "scored", ["text", "positive", "gold"]),
        ("paraphrase", "triplets", ["text", "positive"]),
    ],
)
def test_a_run_trains_on_rows(recipe, kind, roles, folder, tiny, files):
    run = create(folder, with_corpus(config(tiny, recipe, files[kind])))
    assert run.config.corpus.rows == 24
    assert worker.main([str(run.folder), "--device", "cpu"]) == 0
    run = Run(run.folder)
    assert run.state == "done", run.log()
    assert len(run.steps) == 3
    report = json.loads((run.folder / names.CORPUS).read_text())
    assert (report["rows"], report["roles"]) == (24, roles) and report["sha256"] == run.config.corpus.sha256
    assert report["texts"] == 24 * len([role for role in roles if role != "gold"])


def test_a_run_that_lacks_something_is_never_queued(folder, tiny, files):
    with pytest.raises(BadData, match=r"cosent needs scored pairs; triplets\.tsv has triplets"):
        launch.submit(folder, config(tiny, "cosent", files["triplets"]))
    assert not folder.run_folders()


def test_a_run_that_lacks_something_fails_before_step_1(folder, tiny, files):
    run = create(folder, config(tiny, "simcse_sup", files["scored"]))
    worker.main([str(run.folder), "--device", "cpu"])
    run = Run(run.folder)
    assert run.state == "failed" and len(run.steps) == 0
    assert "simcse_sup needs triplets; pairs.tsv has scored pairs" in run.status.message


def test_single_texts_of_a_table_keep_their_hash(tiny, files):
    """A recipe of sentences takes every text of a file, whatever the columns are to each other."""
    found = with_corpus(config(tiny, "simcse_unsup", files["triplets"])).corpus
    assert found.rows == 72
