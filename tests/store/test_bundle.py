"""Several runs in one zip file."""

import hashlib
import json
import random
import tracemalloc
import zipfile

import pytest

from tests.run_folders import make_run
from workbench import api
from workbench.core.errors import BadRun
from workbench.store import names
from workbench.store.bundle import bundle, is_bundle, unbundle


@pytest.fixture
def bundled(folder, tmp_path):
    """Two runs, and the file that holds both."""
    runs = [make_run(folder, number) for number in range(2)]
    file = tmp_path / "runs.zip"
    file.write_bytes(bundle(runs))
    return runs, file


@pytest.fixture
def there(tmp_path):
    return names.runs_folder(tmp_path / "there")


def test_the_runs_are_imported_elsewhere(bundled, there):
    runs, file = bundled
    imported = api.import_runs(file, runs=there.path)
    assert [run.id for run in imported] == [run.id for run in runs]
    assert imported[0].config == runs[0].config and is_bundle(file)
    with pytest.raises(BadRun, match="already in this folder, so nothing was imported"):
        unbundle(file, there)


def test_with_weights_a_run_comes_back_whole(folder, there, tmp_path):
    run = make_run(folder)
    for name in ("model/model.safetensors", "checkpoints/best/backbone.safetensors"):
        path = run.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode() * 99)
    for weights in (True, False):
        file = tmp_path / f"{weights}.zip"
        file.write_bytes(bundle([run], weights=weights))
    [whole] = unbundle(tmp_path / "True.zip", there)
    files = {path.relative_to(run.folder): path.read_bytes() for path in run.folder.rglob("*") if path.is_file()}
    assert files == {
        path.relative_to(whole.folder): path.read_bytes() for path in whole.folder.rglob("*") if path.is_file()
    }
    with zipfile.ZipFile(tmp_path / "False.zip") as archive:
        assert len(archive.read(f"{run.id}.zip")) < 20_000


def test_the_zip_of_a_report_is_imported_too(bundled, there, tmp_path):
    runs, file = bundled
    report = tmp_path / "report.zip"
    with zipfile.ZipFile(report, "w") as archive:
        archive.writestr("report/report.html", "x")
        archive.write(file, "report/runs.zip")
    assert [run.id for run in api.import_runs(report, runs=there.path)] == [run.id for run in runs]


def test_an_archive_of_one_run_is_imported_as_before(bundled, there, tmp_path):
    runs, _ = bundled
    alone = api.export_run(runs[0].folder, tmp_path / "alone.zip", weights=False)
    assert not is_bundle(alone) and [run.id for run in api.import_runs(alone, runs=there.path)] == [runs[0].id]


def changed(file, change):
    """Write the file again with its parts as `change` leaves them."""
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def test_a_damaged_archive_is_refused_and_nothing_is_added(bundled, there):
    runs, file = bundled
    last = f"{runs[1].id}.zip"
    changed(file, lambda parts: parts.update({last: parts[last][:-1] + b"x"}))
    with pytest.raises(BadRun, match=f"{last} in runs.zip is damaged: its hash does not match"):
        unbundle(file, there)
    assert there.run_folders() == []


def test_a_small_file_that_unpacks_to_much_takes_little_memory(there, tmp_path):
    size, name = 64_000_000, "20250101-000000-x-x-s0-0000.zip"
    about = {name: {"sha256": hashlib.sha256(bytes(size)).hexdigest(), "size_bytes": size}}
    inner, file = tmp_path / "runs.zip", tmp_path / "report.zip"
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, bytes(size))
        archive.writestr("manifest.json", json.dumps({"format": 1, "archives": about}))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(inner, "report/runs.zip")
    tracemalloc.start()
    try:
        for bomb in (inner, file):
            with pytest.raises(BadRun, match="not an archive of a run"):
                unbundle(bomb, there)
        assert tracemalloc.get_traced_memory()[1] < size / 4
    finally:
        tracemalloc.stop()


def test_other_damage_is_named(bundled, there):
    _, file = bundled
    content = file.read_bytes()
    changed(file, lambda parts: parts.update({"other.zip": b""}))
    with pytest.raises(BadRun, match="not those in its manifest"):
        unbundle(file, there)
    file.write_bytes(content)
    changed(file, lambda parts: parts.update({"manifest.json": json.dumps({"format": 9}).encode()}))
    with pytest.raises(BadRun, match="not those in its manifest"):
        unbundle(file, there)
    file.write_bytes(content[: len(content) // 2])
    with pytest.raises(BadRun, match=r"runs\.zip"):  # what is left is no archive, or that of one run
        unbundle(file, there)
    assert there.run_folders() == []


def test_the_memory_holds_a_bundle_once(folder):
    run = make_run(folder)
    path = run.folder / "model/model.safetensors"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(random.Random(0).randbytes(20_000_000))
    tracemalloc.start()
    try:
        size = len(bundle([run], weights=True))
        assert size > 20_000_000 and tracemalloc.get_traced_memory()[1] < 1.5 * size
    finally:
        tracemalloc.stop()
