"""The vectors that a run keeps for its film."""

import json

import numpy as np
import pytest

from tests.run_folders import make_run
from workbench.core.errors import BadRun
from workbench.core.writing import write_text
from workbench.store import archive, film, names

FILMED = {
    "texts": ["a", "b", "c"],
    "on": "demo:dev",
    "scale": [0.0, 5.0],
    "of_pairs": 9,
    "first": [0, 1],
    "second": [1, 2],
    "gold": [4.0, 1.0],
    "subsets": ["x", "y"],
}


@pytest.fixture
def filmed(folder):
    """A run with three frames of three sentences."""
    run = make_run(folder)
    film.begin(run.folder, FILMED)
    rng = np.random.default_rng(0)
    for step in (0, 10, 20):
        film.write(run.folder, step, 1e6 * rng.normal(size=(3, 4)))
    return run


def test_frames_are_read_as_they_were_written(filmed):
    frames = film.read(filmed)
    rng = np.random.default_rng(0)
    assert frames.steps == film.steps(filmed.folder) == [0, 10, 20] and frames.filmed == FILMED
    for found in frames.vectors:
        rows = rng.normal(size=(3, 4))
        np.testing.assert_allclose(found, rows / np.linalg.norm(rows, axis=1, keepdims=True), atol=1e-3)
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("dim", [2, 384, 768, 1024, 4096, 12_288, 100_000])
@pytest.mark.parametrize("probes", [1, 2, 11, 61, 1_000_000])
def test_a_film_has_at_most_20_mb_whatever_the_width(dim, probes):
    kept, frames = film.limits(dim, 5000, probes)
    letters = 4 * kept * film.MOST_CHARACTERS  # of four bytes each
    assert 2 * dim * kept * (frames + 1) + letters <= film.MOST_BYTES
    assert 2 <= frames <= max(2, min(probes, film.MOST_FRAMES)) and 1 <= kept <= film.MOST_TEXTS
    if dim <= 1024:
        assert kept >= 200 and frames >= min(max(2, probes), 40)


def test_frames_after_a_checkpoint_are_removed(filmed):
    film.cut_after(filmed.folder, 10)
    assert film.steps(filmed.folder) == [0, 10]
    film.cut_after(filmed.folder, 0)
    assert film.steps(filmed.folder) == []


def test_damaged_and_foreign_frames_are_left_out(filmed):
    place = filmed.folder / "film"
    whole = (place / "00000010.npy").read_bytes()
    (place / "00000010.npy").write_bytes(whole[:-3])
    np.save(place / "00000011.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    film.write(filmed.folder, 12, np.ones((7, 4)))
    film.write(filmed.folder, 13, np.full((3, 4), np.nan))
    assert film.read(filmed).steps == [0, 20]


@pytest.mark.parametrize("content", ["{", "[]", '{"texts": ["a"]}', json.dumps({**FILMED, "first": [0, 3]})])
def test_damaged_sentences_have_a_message(filmed, content):
    write_text(filmed.folder / "film" / film.SENTENCES, content)
    with pytest.raises(BadRun, match="is damaged"):
        film.read(filmed)


def test_a_run_without_frames_has_a_way_out(folder):
    with pytest.raises(BadRun, match="Train it again"):
        film.read(make_run(folder))
    with pytest.raises(BadRun, match="Wait for its second probe"):
        film.read(make_run(folder, 1, state="queued"))


def test_an_archive_without_weights_keeps_the_film(filmed, tmp_path):
    packed = archive.pack(filmed, tmp_path / "run.zip", weights=False)
    found = archive.unpack(packed, names.runs_folder(tmp_path / "there"))
    before, after = film.read(filmed), film.read(found)
    assert after.filmed == before.filmed and after.steps == before.steps
    np.testing.assert_array_equal(np.stack(after.vectors), np.stack(before.vectors))


def test_one_frame_is_no_film(filmed):
    film.cut_after(filmed.folder, 5)
    with pytest.raises(BadRun, match="needs two frames"):
        film.read(filmed)


def test_sentences_are_written_once(filmed):
    path = filmed.folder / "film" / film.SENTENCES
    before = path.stat().st_mtime_ns
    film.begin(filmed.folder, FILMED)
    assert path.stat().st_mtime_ns == before
    film.begin(filmed.folder, {**FILMED, "on": "other"})
    assert film.read(filmed).filmed["on"] == "other"
