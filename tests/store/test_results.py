import os
import pickle
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from workbench.store import evaluations, results
from workbench.store.run import Run


def test_answers_are_loaded_as_they_were_saved(tmp_path):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    table = pd.DataFrame({"x": [0.5, 1.5], "text": ["a", "مرحبا 🙂"]})
    table.attrs = {"mean": 0.25, "explained": [0.5, np.float64(0.25)], "none": None}
    for number, value in enumerate([array, table, {"a": 1, "b": [1.5, None]}, {"array": array, "about": {"n": 2}}]):
        place = tmp_path / f"answer-{number}"
        results.save(place, value, verb="test")
        assert results.has(place)
        found = results.load(place)
        if isinstance(value, dict):
            assert found.keys() == value.keys()
            found, value = next(iter(found.values())), next(iter(value.values()))
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(found, value)
            assert found.dtype == value.dtype
        elif isinstance(value, pd.DataFrame):
            pd.testing.assert_frame_equal(found, value)
            assert found.attrs == {"mean": 0.25, "explained": [0.5, 0.25], "none": None}
        else:
            assert found == value


def test_no_pickle_is_written_or_read(tmp_path):
    with pytest.raises(TypeError, match="only arrays of numbers"):
        results.save(tmp_path / "answer", np.array([object()]))
    assert list(tmp_path.iterdir()) == []
    results.save(tmp_path / "answer", np.zeros(3))
    (tmp_path / "answer" / "value.arrow").write_bytes(pickle.dumps(np.zeros(3)))
    with pytest.raises(FileNotFoundError):
        results.load(tmp_path / "answer")


@dataclass(frozen=True)
class Both:
    table: pd.DataFrame
    flags: np.ndarray
    about: dict


def test_a_dataclass_comes_back_as_one(tmp_path):
    value = Both(pd.DataFrame({"x": [1]}), np.array([[True, False]]), {"n": 1})
    results.save(tmp_path / "answer", value)
    found = results.load(tmp_path / "answer", Both)
    pd.testing.assert_frame_equal(found.table, value.table)
    assert found.flags.dtype == bool and found.flags.tolist() == [[True, False]] and found.about == {"n": 1}
    for array in (np.zeros((0, 4), np.float32), np.zeros((2, 0)), np.arange(6).reshape(2, 3).T):
        results.save(tmp_path / str(array.shape), array)
        np.testing.assert_array_equal(results.load(tmp_path / str(array.shape)), array)


def test_the_first_of_two_equal_answers_is_kept(tmp_path):
    results.save(tmp_path / "answer", {"n": 1})
    results.save(tmp_path / "answer", {"n": 1})
    assert results.load(tmp_path / "answer") == {"n": 1}
    assert len(list(tmp_path.iterdir())) == 1
    with pytest.raises(FileNotFoundError):
        results.load(tmp_path / "none")


def emptied(path):
    path.write_bytes(b"")


def zeroed(path):
    path.write_bytes(bytes(path.stat().st_size))


@pytest.mark.parametrize("damage", [emptied, zeroed, Path.unlink])
@pytest.mark.parametrize("name", ["array.arrow", "table.arrow", results.META])
def test_an_answer_that_cannot_be_read_is_computed_again(tmp_path, name, damage):
    place, value = tmp_path / "answer", {"array": np.zeros(3), "table": pd.DataFrame({"x": [1.0]})}
    results.save(place, value)
    damage(place / name)
    with pytest.raises(FileNotFoundError):
        results.load(place)
    assert not results.has(place)
    results.save(place, value)
    assert list(results.load(place)["array"]) == [0, 0, 0] and [one.name for one in tmp_path.iterdir()] == ["answer"]


@pytest.mark.parametrize("content", ["[]", "{}", '{"items": 3}', '{"items": {"value": {"kind": "array"}}, "parts": 0}'])
def test_an_answer_of_another_form_is_computed_again(tmp_path, content):
    results.save(tmp_path / "answer", {"n": 1})
    (tmp_path / "answer" / results.META).write_text(content)
    with pytest.raises(FileNotFoundError):
        results.load(tmp_path / "answer")
    assert not results.has(tmp_path / "answer")


def test_a_partial_answer_left_by_a_crash_is_replaced(tmp_path):
    results.save(tmp_path / "answer", np.zeros(3))
    (tmp_path / "answer" / results.META).unlink()
    results.save(tmp_path / "answer", {"n": 2})
    assert results.load(tmp_path / "answer") == {"n": 2}


def test_the_least_recently_used_answers_are_removed_first(tmp_path):
    for number in range(4):
        results.save(tmp_path / f"answer-{number}", np.zeros(1000))
        moment = time.time() - 1000 + number
        os.utime(tmp_path / f"answer-{number}", (moment, moment))
    results.load(tmp_path / "answer-0")
    (tmp_path / "texts").mkdir()
    results.prune(tmp_path, 2 * 8500)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answer-0", "answer-3", "texts"]
    assert results.prune(tmp_path / "none", 0) == 0


def pairs(cosine):
    columns = {"pairs": "demo:dev", "task": "demo", "split": "dev", "subset": "x", "row": [0, 1], "gold": [1.0, 4.0]}
    return pd.DataFrame({**columns, "cosine": cosine, "first": ["a", "b"], "second": ["b", "c"]})


def test_evaluations_contain_each_sentence_and_checkpoint_once(tmp_path):
    evaluations.write(tmp_path, "pairs", "step0", pairs([0.1, 0.2]), [{"pairs": "demo:dev", "spearman": 1.0}])
    evaluations.write(tmp_path, "pairs", "last", pairs([0.3, 0.4]), [{"pairs": "demo:dev", "spearman": 0.5}])
    evaluations.write(tmp_path, "pairs", "last", pairs([0.5, 0.4]), [{"pairs": "demo:dev", "spearman": -1.0}])
    evaluations.copy(tmp_path, "pairs", "last", "best")
    table = Run(tmp_path).cosines()
    assert len(pd.read_parquet(tmp_path / "evaluations" / "sentences.parquet")) == 3
    assert table.groupby("checkpoint")["cosine"].first().to_dict() == {"step0": 0.1, "last": 0.5, "best": 0.5}
    assert list(table["sentence1"][:2]) == ["a", "b"] and list(table["sentence2"][:2]) == ["b", "c"]
    scores = Run(tmp_path).scores
    assert dict(zip(scores["checkpoint"], scores["spearman"], strict=True)) == {
        "step0": 1.0,
        "last": -1.0,
        "best": -1.0,
    }
    assert evaluations.has(tmp_path, "pairs", "best") and not evaluations.has(tmp_path, "sts", "best")


def test_archives_are_removed_before_answers_but_not_within_an_hour(tmp_path):
    results.save(tmp_path / "answer", np.zeros(1000))
    place = tmp_path / results.EXPORTS
    place.mkdir()
    for age, name in enumerate(["young.zip", "old.zip", "older.zip", ".old.zip.1.tmp"]):
        (place / name).write_bytes(b"x" * 1000)
        moment = time.time() - 4000 * age
        os.utime(place / name, (moment, moment))
    assert results.prune(tmp_path, 10**6) == 1000, "what a killed process began"
    assert results.prune(tmp_path, 9500) == 1000
    assert sorted(path.name for path in place.iterdir()) == ["old.zip", "young.zip"]
    assert results.prune(tmp_path, 0) > 9000 and not results.has(tmp_path / "answer")
    assert [path.name for path in place.iterdir()] == ["young.zip"]
