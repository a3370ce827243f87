"""What a power cut leaves of a run that was just made, and what is said of one that it took the events of."""

import os
from pathlib import Path

import pytest

from workbench import api
from workbench.core.errors import BadRun
from workbench.core.writing import append_line
from workbench.store import events, names
from workbench.store.create import create
from workbench.store.listed import rows

CONFIG = api.settle(steps=2)
needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="what was flushed is looked up there")


@pytest.fixture
def flushed(monkeypatch):
    """What was on the disk at the last flush of each file and folder, by inode: its size, or the names in it."""
    kept, fsync = {}, os.fsync

    def remembered(handle):
        kept[os.fstat(handle).st_ino] = content(Path(f"/proc/self/fd/{handle}"))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", remembered)
    return kept


def is_flushed(path, kept):
    """Whether a file, or the names in a folder, are on the disk as they are now."""
    return kept.get(path.stat().st_ino) == content(path)


def content(path):
    """The names in a folder, or the size of a file."""
    return sorted(inside.name for inside in path.iterdir()) if path.is_dir() else path.stat().st_size


@needs_proc
def test_a_new_run_and_the_folders_above_it_are_on_the_disk(tmp_path, flushed):
    folder = names.runs_folder(tmp_path / "a" / "runs")
    run = create(folder, CONFIG)
    for path in (*run.folder.iterdir(), run.folder):
        assert is_flushed(path, flushed), path
    for path in (tmp_path, tmp_path / "a"):
        assert is_flushed(path, flushed), path
    assert run.id in flushed[folder.path.stat().st_ino]


@pytest.mark.parametrize("below", ["", "runs"])
def test_a_link_to_nowhere_is_no_runs_folder(tmp_path, below):
    """Its target may be on a disk that is not mounted."""
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(BadRun, match=r"link is a link to .*gone, which does not exist\. Make that folder"):
        names.runs_folder(tmp_path / "link" / below)
    assert not (tmp_path / "gone").exists()
    (tmp_path / "gone").mkdir()
    assert names.runs_folder(tmp_path / "link" / below).path == tmp_path / "gone" / below


@needs_proc
def test_lines_are_on_the_disk_unless_they_need_not_be(tmp_path, flushed):
    append_line(tmp_path / "a.jsonl", {"a": 1})
    append_line(tmp_path / "a.jsonl", {"a": 2})
    assert is_flushed(tmp_path / "a.jsonl", flushed) and is_flushed(tmp_path, flushed)
    append_line(tmp_path / "a.jsonl", {"a": 3}, flushed=False)
    assert not is_flushed(tmp_path / "a.jsonl", flushed)


@pytest.mark.parametrize("left", [None, b"", b'{"event":"que', b"\0" * 60])
def test_a_run_whose_events_a_power_cut_took_says_so_and_can_be_resumed(tmp_path, monkeypatch, left):
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    made = create(names.runs_folder(tmp_path), CONFIG)
    (made.folder / names.EVENTS).unlink()
    if left is not None:
        (made.folder / names.EVENTS).write_bytes(left)
    [listed] = rows(api.runs(tmp_path))
    assert listed.about.state == "lost" and not listed.problem
    kind, message = made.failure
    assert kind == "Lost" and "power cut" in message and "Resume queues it again; or delete it." in message
    assert made.seconds == 0.0 and not made.live
    assert api.resume(made, runs=tmp_path).recorded_status.state == "queued"


def test_a_last_event_that_was_cut_short_does_not_count(tmp_path):
    made = create(names.runs_folder(tmp_path), CONFIG)
    with (made.folder / names.EVENTS).open("ab") as file:
        file.write(b'{"event":"start')
    assert made.state == "queued" and made.failure is None
    events.add(made.folder, events.STOPPED)
    assert made.state == "stopped"
