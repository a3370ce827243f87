"""What the writer promises, on a disk that is really full or pretends to be broken."""

import errno
import os
import stat
import subprocess
import sys

import numpy as np
import pytest

from tests.small_files import files_of_at_most
from workbench.core import writing
from workbench.core.errors import BadSetting, Refused


@pytest.mark.parametrize("missing", [1, 100, 4095, 4096, 5000, 40_000])
def test_an_array_of_which_the_end_finds_no_room_is_not_kept(tmp_path, missing):
    """`numpy.save` into a file of its own returns as if all were well where only the last buffered part is missing."""
    path, array = tmp_path / "a.npy", np.arange(10_000, dtype=np.float32)
    with writing.whole_file(path) as file:
        np.save(file, array[:3])
    before = path.read_bytes()
    with (
        files_of_at_most(128 + array.nbytes - missing),
        pytest.raises(OSError) as caught,
        writing.whole_file(path) as file,
    ):
        np.save(file, array)
    assert writing.is_disk_full(caught.value)
    assert path.read_bytes() == before and [item.name for item in tmp_path.iterdir()] == ["a.npy"]


def test_an_array_and_a_table_are_written_whole(tmp_path):
    import pandas

    array, table = np.arange(70_000.0).reshape(-1, 7), pandas.DataFrame({"a": range(1000), "b": ["é"] * 1000})
    with writing.whole_file(tmp_path / "a.npy") as file:
        np.save(file, array)
    with writing.whole_file(tmp_path / "t.parquet") as file:
        table.to_parquet(file, index=False)
    assert (np.load(tmp_path / "a.npy") == array).all()
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "t.parquet"), table)


def test_a_file_that_is_shorter_than_what_was_written_is_not_kept(tmp_path, monkeypatch):
    def cut(path):
        os.truncate(path, 3)

    monkeypatch.setattr(writing, "sync", cut)
    with pytest.raises(OSError, match="shorter on the disk"):
        writing.write_bytes(tmp_path / "a", b"abcdef")
    assert not list(tmp_path.iterdir())


def test_a_replaced_file_keeps_its_permissions(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o640)
    writing.write_bytes(path, b"new")
    assert path.read_bytes() == b"new" and stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_named_file_may_be_a_link_or_a_device(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with writing.output_file(link) as file:
        file.write(b"new")
    assert link.is_symlink() and target.read_bytes() == b"new"
    null = writing.Path(os.devnull)
    with writing.output_file(null) as file:
        file.write(b"gone")
    assert null.is_char_device()


def test_no_room_for_a_named_file_is_reported_and_what_was_there_stays(tmp_path):
    path = tmp_path / "vectors.npy"
    path.write_bytes(b"old")
    with (
        files_of_at_most(4096),
        pytest.raises(Refused, match="no space left to write"),
        writing.output_file(path) as file,
    ):
        np.save(file, np.zeros(5000))
    assert path.read_bytes() == b"old"
    with (
        pytest.raises(BadSetting, match="There is no folder"),
        writing.output_file(path / "x") as file,
    ):
        file.write(b"x")


def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path):
    place = tmp_path / "model"
    with writing.whole_folder(place) as draft:
        (draft / "a").write_bytes(b"1")
    with pytest.raises(OSError, match="No space"), writing.whole_folder(place) as draft:
        (draft / "a").write_bytes(b"2")
        raise OSError(errno.ENOSPC, "No space left on device")
    assert (place / "a").read_bytes() == b"1"
    (tmp_path / ".model.tmp").mkdir()
    (tmp_path / ".model.tmp" / "left by a killed process").touch()
    with writing.whole_folder(place) as draft:
        (draft / "b").write_bytes(b"3")
    assert [item.name for item in tmp_path.iterdir()] == ["model"] and [item.name for item in place.iterdir()] == ["b"]


FAULTY = """
import sys
from pathlib import Path
from workbench.core import writing
done = 0
try:
    for done in range(4):
        writing.append_line(Path("lines.jsonl"), {"number": done})
        writing.write_json(Path("state.json"), {"number": done})
except OSError as error:
    print(done, error.errno)
"""


@pytest.mark.parametrize("nth", range(1, 9))
@pytest.mark.parametrize("name", ["ENOSPC", "EIO"])
def test_the_nth_write_fails_as_asked_and_what_was_there_is_read(tmp_path, nth, name):
    module, fault = tmp_path / "faulty.py", tmp_path / "fault"
    module.write_text(FAULTY)
    fault.write_text(f"faulty {nth} {name}")
    environment = {**os.environ, "WORKBENCH_FAULT": str(fault), "PYTHONPATH": f"{tmp_path}:{writing.Path.cwd()}"}
    made = subprocess.run(
        [sys.executable, "-m", "faulty"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    number, of_files = divmod(nth - 1, 2)
    assert made.stdout.split() == [str(number), str(getattr(errno, name))] and not fault.exists()
    from workbench.core.reading import read_json, read_lines

    lines = [row["number"] for row in read_lines(tmp_path / "lines.jsonl")]
    assert lines == list(range(number + of_files))
    assert read_json(tmp_path / "state.json") == ({"number": number - 1} if number else None)
    writing.append_line(tmp_path / "lines.jsonl", {"number": 9})
    assert [row["number"] for row in read_lines(tmp_path / "lines.jsonl")] == [*lines, 9]
