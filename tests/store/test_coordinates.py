"""Stored pictures: read back bit for bit, and bounded in size."""

import os
import shutil
import time

import numpy as np
import pytest
from pandas import DataFrame

from workbench.store import coordinates
from workbench.store.names import runs_folder


@pytest.fixture
def folder(tmp_path):
    return runs_folder(tmp_path / "runs")


def table(seed=0, n=50):
    made = DataFrame(np.random.default_rng(seed).normal(size=(n, 2)), columns=["x", "y"])
    made.attrs = {"method": "umap", "trustworthiness": 0.1 + 0.2, "explained": None}
    return made


def test_a_picture_is_read_back_bit_for_bit_and_nothing_is_executed(folder):
    coordinates.save(folder, "one", table())
    again = coordinates.load(folder, "one")
    assert again.equals(table()) and again.attrs == table().attrs
    assert coordinates.load(folder, "other") is None
    assert {path.suffix for path in (folder.coordinates / "one").iterdir()} == {".arrow", ".json"}


def test_a_damaged_picture_is_none_and_goes(folder):
    coordinates.save(folder, "one", table())
    (folder.coordinates / "one" / "value.arrow").write_bytes(b"not a table")
    assert coordinates.load(folder, "one") is None and coordinates.sizes(folder) == (0, 0)


def test_the_name_is_of_what_was_asked_and_of_the_versions(monkeypatch):
    name = coordinates.name_of("one")
    assert name == coordinates.name_of("one") != coordinates.name_of("other")
    monkeypatch.setattr(coordinates, "versions", lambda: {"numpy": "0"})
    assert coordinates.name_of("one") != name


def test_those_not_looked_at_for_longest_go_first(folder, monkeypatch):
    for number, name in enumerate(("old", "seen", "new")):
        coordinates.save(folder, name, table(number))
        for path in (folder.coordinates / name, *(folder.coordinates / name).iterdir()):
            os.utime(path, (time.time() - 1000 + 100 * number,) * 2)
    count, size_bytes = coordinates.sizes(folder)
    assert count == 3 and size_bytes > 3 * 50 * 16
    coordinates.load(folder, "old")
    monkeypatch.setattr(coordinates, "MOST_BYTES", size_bytes)
    coordinates.save(folder, "newest", table(9))
    kept = {path.name for path in folder.coordinates.iterdir()}
    assert {"old", "newest"} <= kept and "seen" not in kept
    assert coordinates.sizes(folder)[1] <= size_bytes
    shutil.rmtree(folder.coordinates)
    assert coordinates.sizes(folder) == (0, 0)
