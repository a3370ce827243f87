"""A growing jsonl file is read in steps, and its table equals that of the whole file."""

import json

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.reading import cut_after, read_lines, row_of
from workbench.core.writing import append_line
from workbench.store.following import Followed

NUMBERS = st.none() | st.integers(0, 9) | st.floats(-9, 9) | st.booleans()
ROWS = st.lists(st.dictionaries(st.sampled_from("abc"), NUMBERS, min_size=1), max_size=8)


@given(ROWS, st.integers(0, 8))
def test_reading_in_two_parts_equals_reading_at_once(tmp_path_factory, rows, cut):
    path = tmp_path_factory.mktemp("followed") / "steps.jsonl"
    followed = Followed(path, dict)
    for row in rows[:cut]:
        append_line(path, row)
    followed.read()
    for row in rows[cut:]:
        append_line(path, row)
    expected = pandas.json_normalize(list(read_lines(path)))
    pandas.testing.assert_frame_equal(followed.read()[list(expected)], expected, check_column_type=False)


def test_nested_objects_are_columns_and_each_caller_gets_its_own_table(tmp_path):
    path = tmp_path / "steps.jsonl"
    append_line(path, {"step": 1, "losses": {"0.infonce_nn": 0.5}, "filled": [{"a": 1}]})
    followed = Followed(path, dict)
    table = followed.read()
    assert table["losses.0.infonce_nn"].tolist() == [0.5] and table["filled"].tolist() == [[{"a": 1}]]
    table["step"] = 7
    assert followed.read()["step"].tolist() == [1]


def test_only_new_lines_are_read(tmp_path, monkeypatch):
    path = tmp_path / "steps.jsonl"
    for step in range(1000):
        append_line(path, {"step": step})
    followed = Followed(path, dict)
    followed.read()
    read = []
    monkeypatch.setattr("workbench.store.following.row_of", lambda line: read.append(line) or row_of(line))
    append_line(path, {"step": 1000})
    assert followed.read()["step"].tolist() == list(range(1001))
    assert len([line for line in read if line]) == 1


def test_incomplete_lines_wait_and_damaged_lines_are_skipped(tmp_path):
    path = tmp_path / "steps.jsonl"
    path.write_bytes(b'{"step":1}\n{"st')
    followed = Followed(path, dict)
    assert followed.read()["step"].tolist() == [1]
    with path.open("ab") as file:
        file.write(b'ep":2}')
    assert followed.read()["step"].tolist() == [1, 2], "nothing ends it, but it is whole"
    with path.open("ab") as file:
        file.write(b'\n{"cut\n[3]\n{"step":4}\n')
    assert followed.read()["step"].tolist() == [1, 2, 4]


@pytest.mark.parametrize("again", [[5], [5, 6, 7, 8], []])
def test_a_rewritten_file_is_read_from_its_beginning(tmp_path, again):
    path = tmp_path / "steps.jsonl"
    for step in (1, 2, 3):
        append_line(path, {"step": step})
    followed = Followed(path, dict)
    followed.read()
    cut_after(path, lambda row: row["step"] < 2)
    assert followed.read()["step"].tolist() == [1]
    path.write_text("".join(json.dumps({"step": step}) + "\n" for step in again))
    assert followed.read().get("step", pandas.Series(dtype=int)).tolist() == again
    path.unlink()
    assert followed.read().empty
