"""Runs of a folder that is not this account's to write, or that it may not read in part."""

import errno
import os

import pytest

from tests.run_folders import make_run
from workbench import api
from workbench.core.errors import BadRun
from workbench.processes.sqlite import Database
from workbench.scheduler.queue import Queue
from workbench.store import lookup
from workbench.store.names import runs_folder


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    return runs_folder(tmp_path / "runs")


@pytest.mark.parametrize("trouble", ["closed to others", "read-only disk"])
def test_runs_are_listed_without_a_queue_that_cannot_be_read(folder, trouble, monkeypatch):
    run, waiting = make_run(folder), make_run(folder, 1, state="queued")
    Queue(folder).reindex()
    if trouble == "read-only disk":  # SQLite says that it is unable to open the file, of both
        (folder.jobs / "queue.sqlite").unlink()
        (folder.jobs / "queue.sqlite").mkdir()
    else:

        def refused(database):
            raise PermissionError(errno.EACCES, "Permission denied", str(database.path))

        monkeypatch.setattr(Database, "_file", refused)
    assert [one.id for one in api.runs(folder.path, newest=5)] == [waiting.id, run.id]
    assert [one.id for one in api.runs(folder.path, newest=5, waiting=False)] == [waiting.id, run.id]
    assert api.ahead(waiting, runs=folder.path) == []


def test_a_run_that_may_not_be_read_is_not_called_unknown(folder, monkeypatch):
    run = make_run(folder)

    def refused(folder, name):
        raise PermissionError(errno.EACCES, "Permission denied", str(name))

    monkeypatch.setattr(lookup, "find", refused)
    with pytest.raises(BadRun, match=f"The run '{run.id}' cannot be read. Got: Permission denied"):
        api.run(run.id, runs=folder.path)


def test_sweeps_that_may_not_be_listed_are_not_called_none(folder, monkeypatch):
    folder.sweeps.mkdir()

    def refused(path="."):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, "listdir", refused)
    monkeypatch.setattr("workbench.store.names._check_readable", lambda path: None)
    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(BadRun, match=r"\.sweeps cannot be used. Got: Permission denied"):
        api.sweeps(runs=folder.path)
