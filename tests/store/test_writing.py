import errno
import json
import math
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from filelock import Timeout
from hypothesis import given
from hypothesis import strategies as st

from tests.small_files import files_of_at_most
from workbench.core import disk_errors, reading
from workbench.core.errors import BadRun, Refused
from workbench.core.writing import append_line, is_disk_full, plain, write_bytes, write_file, write_json
from workbench.processes.sqlite import Database


def test_a_line_truncated_by_a_crash_loses_only_itself(tmp_path):
    path = tmp_path / "steps.jsonl"
    for step in (1, 2, 3):
        append_line(path, {"step": step})
    path.write_bytes(path.read_bytes()[:-4])  # the third line lost its end
    assert [row["step"] for row in reading.read_lines(path)] == [1, 2]
    assert reading.last_line(path)["step"] == 2
    append_line(path, {"step": 4})
    assert [row["step"] for row in reading.read_lines(path)] == [1, 2, 4]


def test_damaged_lines_are_skipped(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"a":1}\n\xff\xfe\x00\n[1,2]\n\n{"a":2}\n{"a":')
    assert [row["a"] for row in reading.read_lines(path)] == [1, 2]
    assert list(reading.read_lines(tmp_path / "none.jsonl")) == []
    assert reading.last_line(tmp_path / "none.jsonl") is None


@given(
    st.lists(st.dictionaries(st.text(), st.text() | st.integers() | st.floats(allow_nan=False)), max_size=5), st.data()
)
def test_lines_before_a_truncation_are_read(tmp_path_factory, rows, data):
    path = tmp_path_factory.mktemp("cut") / "rows.jsonl"
    for row in rows:
        append_line(path, row)
    content = path.read_bytes() if rows else b""
    cut = data.draw(st.integers(0, len(content)))
    path.write_bytes(content[:cut])
    whole = content[:cut].count(b"\n")
    read = list(reading.read_lines(path))
    assert len(read) - whole in (0, 1)  # a last line without its line feed may be complete
    assert read[:whole] == [json.loads(line) for line in content.split(b"\n")[:whole]]


@pytest.mark.parametrize("number", [2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 10**40, 0.00012345678901234567])
def test_numbers_of_any_length_are_read_as_they_are(tmp_path, number):
    append_line(tmp_path / "rows.jsonl", {"of": [number, -number]})
    assert list(reading.read_lines(tmp_path / "rows.jsonl")) == [{"of": [number, -number]}]


def test_many_writers_append_whole_lines(tmp_path):
    path = tmp_path / "events.jsonl"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: append_line(path, {"number": number, "text": "x" * 500}), range(200)))
    assert sorted(row["number"] for row in reading.read_lines(path)) == list(range(200))


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "state.json"
    write_json(path, {"step": 1})

    def half(draft):
        draft.write_text('{"st')
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_file(path, half)
    assert reading.read_json(path) == {"step": 1}
    assert [item.name for item in tmp_path.iterdir()] == ["state.json"]


def test_threads_that_write_the_same_file_do_not_interfere(tmp_path):
    path = tmp_path / "state.json"
    contents = [bytes([letter]) * 50_000 for letter in b"abcd"]

    def write(number):
        write_bytes(path, contents[number % 4])
        return path.read_bytes() in contents

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(write, range(200)))
    assert [item.name for item in tmp_path.iterdir()] == ["state.json"]


def test_a_full_disk_is_recognised_and_harms_nothing(tmp_path):
    path = tmp_path / "big.bin"
    write_bytes(path, b"old")
    with files_of_at_most(4096), pytest.raises(OSError) as caught:
        write_bytes(path, b"x" * 10_000)
    assert is_disk_full(caught.value)
    assert path.read_bytes() == b"old"


def test_a_full_disk_is_recognised_by_the_message_of_safetensors(tmp_path):
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    with files_of_at_most(4096), pytest.raises(SafetensorError) as caught:
        save_file({"a": np.zeros(10_000, np.float32)}, tmp_path / "a.safetensors")
    assert is_disk_full(caught.value)
    assert not is_disk_full(ValueError("no"))


def test_a_full_disk_is_explained_to_users(tmp_path):
    for error in (
        OSError(errno.ENOSPC, "No space left on device"),
        sqlite3.OperationalError("database or disk is full"),
    ):
        with pytest.raises(Refused, match="disk of the runs folder is full"), disk_errors.full_disk_explained():
            raise error
    with pytest.raises(KeyError), disk_errors.full_disk_explained():
        raise KeyError


def test_plain_values_are_json_types():
    value = {"a": np.float32(0.5), "b": np.arange(2), "c": math.nan, "d": (1, None), "e": math.inf, 3: True}
    assert plain(value) == {"a": 0.5, "b": [0, 1], "c": None, "d": [1, None], "e": None, "3": True}


def test_cut_after_keeps_the_lines_up_to_a_step(tmp_path):
    path = tmp_path / "steps.jsonl"
    for step in range(5):
        append_line(path, {"step": step, "text": "é"})
    reading.cut_after(path, lambda row: row["step"] <= 2)
    assert [row["step"] for row in reading.read_lines(path)] == [0, 1, 2]
    reading.cut_after(tmp_path / "none.jsonl", lambda row: True)
    assert not (tmp_path / "none.jsonl").exists()


def test_disk_space_is_checked_in_advance(tmp_path):
    disk_errors.check_space(tmp_path, 1, "A byte")
    with pytest.raises(Refused, match="Delete old runs"):
        disk_errors.check_space(tmp_path, 10**18, "An ocean")


def test_a_full_disk_is_recognised_by_the_error_code_of_sqlite(tmp_path):
    """The message is only "disk I/O error"; the code has the cause."""
    table = sqlite3.connect(tmp_path / "a.sqlite", isolation_level=None)
    table.execute("PRAGMA journal_mode=WAL")
    table.execute("CREATE TABLE t (a)")
    table.close()
    table = sqlite3.connect(tmp_path / "a.sqlite")
    with files_of_at_most(1000), pytest.raises(sqlite3.OperationalError, match="disk I/O") as caught:
        table.execute("SELECT * FROM t")
    table.close()
    assert is_disk_full(caught.value)
    assert not is_disk_full(sqlite3.OperationalError("disk I/O error"))


def test_other_disk_errors_are_explained_to_users(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(BadRun, match=r"file cannot be used. Got: File exists"), disk_errors.disk_errors_explained():
        (tmp_path / "file").mkdir()
    with pytest.raises(BadRun, match="unable to open database file"), disk_errors.disk_errors_explained():
        sqlite3.connect(tmp_path / "none" / "a.sqlite")
    with pytest.raises(BadRun, match="could not be acquired"), disk_errors.disk_errors_explained():
        raise Timeout("a.lock")
    with pytest.raises(Refused), disk_errors.disk_errors_explained():
        raise OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(FileNotFoundError), disk_errors.disk_errors_explained():
        (tmp_path / "none").stat()


def test_a_path_that_sqlite_finds_too_long_is_not_called_read_only(tmp_path, monkeypatch):
    def refused(*_, **__):
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr(sqlite3, "connect", refused)
    long = Database(tmp_path.joinpath(*3 * ["x" * 200]) / "a.sqlite", "")
    with pytest.raises(BadRun, match=r"Got: File name too long\. .* shorter path"), disk_errors.disk_errors_explained():
        long.rows("SELECT 1")
    with pytest.raises(BadRun, match=r"Got: unable to open"), disk_errors.disk_errors_explained():
        Database(tmp_path / "a.sqlite", "").rows("SELECT 1")
