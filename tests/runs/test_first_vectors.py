"""What the first weights give is encoded once for all runs of a folder that begin with them."""

import json
import shutil

import numpy as np
import pandas
import pytest

from tests.runs.trial import losses, new, work, working
from workbench.models.encoder import Encoder
from workbench.runs import first_vectors
from workbench.scheduler import launch
from workbench.store import names, results
from workbench.store.run import Run


@pytest.fixture
def encoded(monkeypatch):
    """How many texts each call of `Encoder.encode` was given."""
    counts, encode = [], Encoder.encode

    def counting(self, texts, **said):
        counts.append(len(texts))
        return encode(self, texts, **said)

    monkeypatch.setattr(Encoder, "encode", counting)
    with working():
        yield counts


def kept(folder):
    return sorted((folder.cache / first_vectors.KEPT).iterdir())


def measured(run):
    """What a run has of step 0: cosines, scores, the probe and the first frame of its film."""
    scores = run.scores[run.scores["checkpoint"] == "step0"]
    pairs = pandas.read_parquet(run.folder / names.EVALUATIONS / "pairs.parquet")
    return (
        pairs.loc[pairs["checkpoint"] == "step0", "cosine"].tolist(),
        scores[["spearman", "low", "high", "isoscore", "uniformity", "alignment"]].to_numpy().tolist(),
        run.probes.iloc[0].drop(["time", "seconds"]).dropna().to_dict(),
        np.load(run.folder / names.FILM / "00000000.npy").tolist(),
    )


def test_a_second_run_reads_them_and_comes_to_the_same(whole, folder, tiny, encoded):
    first = work(new(folder, tiny, steps=20))
    many = len(encoded)
    encoded.clear()
    second = work(new(folder, tiny, steps=20, seed=1))
    assert second.state == "done" and kept(folder) and len(encoded) == many - len(kept(folder)) > 0
    assert measured(first) == measured(second) == measured(whole)
    assert losses(work(new(folder, tiny, steps=20))) == losses(whole), "training does not notice"


def test_other_weights_texts_or_threads_are_encoded_anew(folder, tiny, encoded, monkeypatch):
    run = work(new(folder, tiny, steps=2))
    many = len(kept(folder))
    work(new(folder, tiny, steps=2, batch_size=4))
    assert len(kept(folder)) == many, "what comes after the first weights does not matter"
    work(new(folder, tiny, steps=2, eval_pooling="cls"))
    assert len(kept(folder)) == 2 * many
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    work(new(folder, tiny, steps=2))
    assert len(kept(folder)) == 3 * many
    assert run.state == "done"


def test_the_same_weights_in_another_architecture_are_encoded_anew(folder, tiny, encoded, tmp_path):
    work(new(folder, tiny, steps=2))
    many, other = len(kept(folder)), tmp_path / "other"
    shutil.copytree(tiny, other)
    work(new(folder, other, steps=2))
    assert len(kept(folder)) == many, "where they lie does not matter"
    path = other / "bert" / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "layer_norm_eps": 1e-3}))
    work(new(folder, other, steps=2))
    assert len(kept(folder)) == 2 * many


def test_damaged_ones_are_encoded_anew(folder, tiny, encoded):
    first = work(new(folder, tiny, steps=2))
    for place in kept(folder):
        next(place.glob("*.arrow")).write_bytes(b"no numbers")
    encoded.clear()
    second = work(new(folder, tiny, steps=2))
    assert second.state == "done" and measured(first) == measured(second)
    for place in kept(folder):
        assert np.isfinite(results.load(place)).all()


def test_a_disk_without_room_for_them_costs_only_time(folder, tiny, encoded, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(first_vectors.results, "save", full)
    assert work(new(folder, tiny, steps=2)).state == "done"
    assert not (folder.cache / first_vectors.KEPT).exists()


def test_a_stop_is_noticed_though_nothing_is_encoded(folder, tiny, encoded, monkeypatch):
    work(new(folder, tiny, steps=2))
    load = results.load

    def stopping(place, *given):
        if place.parent.name == first_vectors.KEPT:
            launch.stop(run)
        return load(place, *given)

    run = new(folder, tiny, steps=20)
    monkeypatch.setattr(first_vectors.results, "load", stopping)
    run = work(run)
    assert run.state == "stopped" and not (run.folder / names.CHECKPOINTS / "last").exists()
    monkeypatch.undo()
    with working():
        assert work(Run(run.folder), again=True).state == "done"
