"""Disks that are full, and folders that may not be written: nothing is left half done, and what is wrong is said."""

import json
import shutil
import sqlite3
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.scheduler.test_supervisor import queued
from tests.store.test_runs import CONFIG
from tests.trial import config_of
from workbench import api
from workbench.core.errors import BadRun, BadSetting, Refused
from workbench.data import references
from workbench.processes.service import Service
from workbench.recipes.load import find_recipe
from workbench.scheduler import launch, supervision
from workbench.scheduler.queue import Queue
from workbench.scheduler.supervisor import Supervisor
from workbench.store import events, leftovers, lookup, user_recipes
from workbench.store.create import create


@pytest.fixture
def alone(monkeypatch):
    """Nobody starts a supervisor."""
    monkeypatch.setattr(Service, "ensure", lambda _: None)


@pytest.fixture
def full():
    """No file can grow past 1000 bytes: with such a disk SQLite does not even read."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    @contextmanager
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return limited


def test_on_a_full_disk_runs_are_listed_stopped_and_deleted(alone, folder, full):
    old, run = queued(folder), queued(folder)
    events.add(old.folder, events.STOPPED)
    with full():
        with pytest.raises(sqlite3.OperationalError, match="disk I/O"):
            Queue(folder).waiting()
        supervision.look_after(folder)
        assert len(lookup.all_runs(folder)) == 2
        assert launch.stop(run).state == "stopping"
        launch.delete(old, old.id)
        assert not old.folder.exists()
    Supervisor(folder).reconcile()
    assert run.state == "stopped" and Queue(folder).waiting() == []


def test_a_resume_or_a_new_run_that_is_refused_changes_nothing(alone, folder, full, monkeypatch):
    run = queued(folder)
    launch.stop(run)
    before = (run.folder / "events.jsonl").read_bytes()
    with full(), pytest.raises(Refused, match="disk of the runs folder is full"):
        launch.resume(run)
    assert run.state == "stopped" and (run.folder / "events.jsonl").read_bytes() == before

    def no(*_, **__):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Queue, "add", no)
    monkeypatch.setattr(launch, "with_corpus", lambda config: config)
    with pytest.raises(Refused):
        launch.submit(folder, CONFIG)
    assert [path.name for path in folder.run_folders()] == [run.id]
    assert not list(folder.jobs.glob("deleted-*"))


def test_a_read_only_folder_is_listed_and_everything_else_reported(folder):
    run = create(folder, CONFIG)
    shutil.rmtree(folder.jobs)
    folder.jobs.write_text("a file in the place of the folder")
    assert [one.id for one in api.runs(folder.path)] == [run.id]
    with pytest.raises(BadRun, match="cannot be used"):
        api.encode(["a"], runs=folder.path)
    with pytest.raises(BadRun, match="cannot be used"):
        api.train(runs=folder.path, corpus="demo", steps=1)
    events.add(run.folder, events.STOPPED)
    with pytest.raises(BadRun, match="cannot be used"):
        api.resume(run, runs=folder.path)
    api.delete(run, run.id, runs=folder.path)
    assert not run.folder.exists()


def test_a_sweep_that_cannot_be_removed_is_reported(folder, monkeypatch):
    file = folder.sweeps / "grid-1.json"
    file.parent.mkdir()
    about = {"kind": "grid", "title": "A grid", "over": {}, "asked": {}, "time": 1.0, "cells": []}
    file.write_text(json.dumps({"id": "grid-1", **about}))

    def no(path, **_):
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", no)
        with pytest.raises(BadRun, match=r"grid-1\.json cannot be used"):
            api.delete_sweep("grid-1", runs=folder.path)
    api.delete_sweep("grid-1", runs=folder.path)
    assert not file.exists()


def test_of_a_run_folder_that_is_a_link_the_link_is_deleted(folder, tmp_path):
    """As of one that was moved to a larger disk."""
    run = create(folder, CONFIG)
    events.add(run.folder, events.STOPPED)
    there = run.folder.rename(tmp_path / "there")
    run.folder.symlink_to(there)
    assert launch.delete(run, run.id) == 0
    assert not run.folder.is_symlink() and (there / "config.toml").exists()
    (folder.jobs / "deleted-link").symlink_to(there)  # what was left of one
    leftovers.sweep(folder)
    assert not list(folder.jobs.glob("deleted-*")) and (there / "config.toml").exists()


def test_unwritable_recipes_and_sweeps_are_reported(folder, tiny):
    folder.recipes.write_text("a file in the place of the folder")
    with pytest.raises(BadRun, match=r"\.recipes cannot be used"):
        user_recipes.keep(folder, replace(find_recipe("simcse_unsup"), id="mine"))
    folder.jobs.mkdir()
    (folder.jobs / "locks").write_text("a file in the place of the folder")
    with pytest.raises(BadRun, match="locks cannot be used"):
        api.grid("simcse_unsup", over={"temperature": [0.05, 0.1]}, corpus=str(tiny / "corpus.txt"), runs=folder.path)


@pytest.mark.parametrize("device", ["", "gpu", "cuda:", "cuda:0 cuda:1", "CPU"])
def test_an_unknown_device_is_refused_before_the_run_is_queued(tiny, device):
    with pytest.raises(BadSetting, match="device cannot be"):
        config_of(tiny, device=device)
    assert [config_of(tiny, device=name).training.device for name in ("auto", "cpu", "mps", "cuda", "cuda:1")]


def test_a_pair_set_keeps_its_task_where_the_folder_holds_an_at_sign(tmp_path, monkeypatch):
    (tmp_path / "a@b").mkdir()
    monkeypatch.chdir(tmp_path)
    assert references.absolute_pairs("stsb:dev@a@b") == f"stsb:dev@{tmp_path / 'a@b'}"
    assert references.absolute_pairs("a@b") == str(tmp_path / "a@b")
