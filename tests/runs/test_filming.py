"""The film that a run keeps of its training."""

from dataclasses import replace

import numpy as np
import pytest

from tests.runs.trial import crash, losses, new, stop_at, work, working
from tests.trial import config_of
from workbench.data.pairs import load_pairs
from workbench.preflight.corpora import with_corpus
from workbench.runs.filming import Filming, filmed_pairs, filmed_texts, probed_steps
from workbench.store import events, film, names
from workbench.store.create import create
from workbench.store.lookup import all_runs
from workbench.targets.opening import open_target
from workbench.targets.target import parse

pytestmark = pytest.mark.usefixtures("worker_here")


@pytest.fixture(scope="module")
def whole(tiny, tmp_path_factory):
    """An undisturbed run of 20 steps."""
    folder = names.runs_folder(tmp_path_factory.mktemp("filmed"))
    with working():
        run = work(new(folder, tiny, steps=20))
    assert run.state == "done", run.log()
    return run


def same(one, other):
    first, second = film.read(one), film.read(other)
    assert first.filmed == second.filmed and first.steps == second.steps
    for before, after in zip(first.vectors, second.vectors, strict=True):
        np.testing.assert_array_equal(before, after)


def test_each_probe_is_a_frame_of_the_ends_of_its_pairs(whole):
    frames, pairs = film.read(whole), load_pairs(whole.config.probe.pairs)
    assert frames.steps == list(whole.probes["step"]) == [0, 5, 10, 15, 20]
    texts = frames.filmed["texts"]
    assert set(texts) == set(pairs.texts()) and frames.filmed["on"] == pairs.name
    assert [texts[row] for row in frames.filmed["first"]] == pairs.first
    assert [texts[row] for row in frames.filmed["second"]] == pairs.second
    assert frames.filmed["gold"] == pairs.gold.tolist() and frames.filmed["of_pairs"] == len(pairs)
    runs = names.RunsFolder(whole.folder.parent)
    for checkpoint, frame in (("step0", frames.vectors[0]), ("last", frames.vectors[-1])):
        vectors = open_target(parse(f"{whole.folder}@{checkpoint}", runs)).encode(texts)
        np.testing.assert_allclose(frame, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), atol=1e-3)


def test_training_is_the_same_without_a_film(whole, folder, tiny, monkeypatch):
    monkeypatch.setattr(Filming, "keep", lambda *_: None)
    run = work(new(folder, tiny, steps=20))
    assert run.state == "done" and not film.steps(run.folder)
    assert losses(run) == losses(whole) and list(run.probes["spearman"]) == list(whole.probes["spearman"])


def test_a_resume_goes_on_with_the_film(whole, folder, tiny, monkeypatch):
    with monkeypatch.context() as patch:
        stop_at(patch, 12)
        run = work(new(folder, tiny, steps=20))
    assert run.state == "stopped" and film.steps(run.folder) == [0, 5, 10]
    run = work(run, again=True)
    assert run.state == "done" and losses(run) == losses(whole)
    same(run, whole)


@pytest.mark.parametrize("pause", ["0", "1000"])
def test_a_killed_run_keeps_no_frame_of_steps_that_are_taken_again(whole, folder, tiny, monkeypatch, pause):
    run = new(folder, tiny, steps=20)
    with monkeypatch.context() as patch:
        patch.setenv("WORKBENCH_CHECKPOINT_SECONDS", pause)
        crash(run, patch, 15, before=False)
    (run.folder / names.FILM / ".00000020.npy.1a2b.tmp").write_bytes(b"half")
    events.add(run.folder, events.LOST)
    cut = film.cut_after
    left = []
    with monkeypatch.context() as patch:
        patch.setattr(film, "cut_after", lambda place, step: (cut(place, step), left.extend(film.steps(place))))
        run = work(run, again=True)
    assert left == ([0, 5, 10] if pause == "0" else [])
    assert run.state == "done" and not list((run.folder / names.FILM).glob(".*"))
    same(run, whole)


def test_a_run_that_is_asked_for_many_probes_keeps_some_and_the_latest(folder, tiny, monkeypatch):
    monkeypatch.setattr(film, "MOST_FRAMES", 4)
    monkeypatch.setattr(film, "MOST_TEXTS", 10)
    seen = []
    write = film.write
    monkeypatch.setattr(film, "write", lambda place, *rest: (write(place, *rest), seen.append(film.steps(place))))
    run = work(new(folder, tiny, steps=9, **{"probe.every": 1}))
    assert run.state == "done", run.log()
    assert seen[2] == [0, 2] and seen[4] == [0, 3, 4] and film.steps(run.folder) == [0, 3, 6, 9]
    frames = film.read(run)
    assert len(frames.filmed["gold"]) == 5 and frames.filmed["of_pairs"] == 24 and len(frames.filmed["texts"]) <= 10


def test_the_last_probe_of_a_run_that_ended_early_is_its_last_frame(folder, tiny, monkeypatch):
    monkeypatch.setattr(film, "MOST_FRAMES", 2)
    settings = {"learning_rate": 1e-8, "selection.every": 1, "selection.patience": 2}
    run = work(new(folder, tiny, steps=40, **settings))
    assert run.state == "done" and run.progress.step < 40
    assert film.steps(run.folder) == [0, run.progress.step]


def test_without_pairs_texts_of_the_corpus_are_filmed(folder, tiny):
    config = config_of(tiny, steps=5)
    bare = replace(
        config,
        selection=replace(config.selection, metric="none"),
        evaluation=replace(config.evaluation, pairs=()),
        probe=replace(config.probe, pairs=""),
    )
    run = work(create(folder, with_corpus(bare)))
    assert run.state == "done", run.log()
    frames = film.read(run)
    assert frames.steps == [0, 5] and not frames.filmed["gold"]
    assert set(frames.filmed["texts"]) == set((tiny / "corpus.txt").read_text("utf-8").splitlines())


def test_a_deleted_run_takes_its_film_along_and_its_size_counts(folder, tiny):
    from workbench import api

    run = work(new(folder, tiny, steps=5))
    size = sum(path.stat().st_size for path in (run.folder / names.FILM).iterdir())
    assert 0 < size <= run.size_bytes["other"]
    api.delete(run, run.id, runs=folder.path)
    assert not run.folder.exists() and not all_runs(folder)


def test_sentences_are_chosen_evenly_over_the_gold_scores():
    pairs = load_pairs("demo:dev")
    texts = list(dict.fromkeys(pairs.texts()))
    rows, filmed = filmed_pairs(pairs, texts, 200)
    assert [texts[row] for row in rows] == filmed["texts"] and 180 < len(rows) <= 200
    assert len(filmed["gold"]) == 100 and filmed["of_pairs"] == len(pairs) == 600
    chosen, every = np.sort(filmed["gold"]), np.sort(pairs.gold)
    assert np.abs(np.quantile(chosen, [0.1, 0.5, 0.9]) - np.quantile(every, [0.1, 0.5, 0.9])).max() < 0.1
    rows, filmed = filmed_pairs(pairs, texts, 1200)
    assert filmed["gold"] == pairs.gold.tolist() and filmed["first"][0] == 0


def test_long_texts_are_cut_and_long_corpora_sampled():
    rows, filmed = filmed_texts([f"{number} {'word ' * 1000}" for number in range(50)], 5)
    assert rows.tolist() == [0, 12, 24, 37, 49]
    assert all(len(text) == film.MOST_CHARACTERS and text.endswith("…") for text in filmed["texts"])


def test_the_steps_of_probes_are_those_of_the_configuration(tiny):
    config = config_of(tiny, steps=12, **{"probe.every": 5, "selection.every": 4})
    assert probed_steps(config).tolist() == [0, 4, 5, 8, 10, 12]
    unselected = replace(config, selection=replace(config.selection, metric="none"))
    assert probed_steps(unselected).tolist() == [0, 5, 10, 12]
