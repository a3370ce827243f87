import json
import os
import shutil
import stat
import struct
import tracemalloc
import zipfile
from random import Random

import pytest

from tests.store.test_runs import CONFIG
from workbench.core.errors import BadRun, BadSetting
from workbench.store import archive, events, names
from workbench.store.create import create


@pytest.fixture
def run(tmp_path):
    made = create(names.runs_folder(tmp_path / "here"), CONFIG)
    events.add(made.folder, events.STOPPED)
    for name in ("checkpoints/last/model-1.safetensors", "model/model.safetensors", "evaluations/scores.json"):
        path = made.folder / name
        path.parent.mkdir(parents=True)
        path.write_bytes(name.encode())
    return made


@pytest.fixture
def there(tmp_path):
    return names.runs_folder(tmp_path / "there")


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_exported_run_is_imported_unchanged(run, there, tmp_path):
    file = archive.pack(run, tmp_path / "run.zip")
    found = archive.unpack(file, there)
    assert found.id == run.id and found.state == "stopped"
    assert files(found.folder) == files(run.folder)
    with pytest.raises(BadRun, match="already"):
        archive.unpack(file, there)
    with pytest.raises(BadRun, match="exists"):
        archive.pack(run, file)


def test_an_archive_without_weights_is_small(run, there, tmp_path):
    found = archive.unpack(archive.pack(run, tmp_path / "run.zip", weights=False), there)
    assert set(files(found.folder)) == {"config.toml", "environment.json", "events.jsonl", "evaluations/scores.json"}


def rewritten(source, target, change):
    """The archive with its manifest and entries changed by `change(manifest, entries)`."""
    with zipfile.ZipFile(source) as old:
        entries = {info.filename: old.read(info) for info in old.infolist()}
    manifest = json.loads(entries.pop("manifest.json"))
    extra = change(manifest, entries) or []
    with zipfile.ZipFile(target, "w") as new:
        new.writestr("manifest.json", json.dumps(manifest))
        for name, content in entries.items():
            new.writestr(name, content)
        for info, content in extra:
            new.writestr(info, content)
    return target


def slip(name):
    def change(manifest, entries):
        manifest["files"][name] = {"sha256": "", "size_bytes": 1}
        entries[f"{manifest['run']}/{name}"] = b"x"

    return change


def wrong_hash(manifest, entries):
    entries[f"{manifest['run']}/evaluations/scores.json"] = b"evaluations/scores.jsoX"


def wrong_size(manifest, entries):
    manifest["files"]["config.toml"]["size_bytes"] += 1


def stowaway(manifest, entries):
    entries["other.txt"] = b"x"


def other_run(manifest, entries):
    manifest["run"] = "../../evil"


def huge(manifest, entries):
    for number in range(archive.MOST_FILES):
        manifest["files"][f"f{number}"] = {"sha256": "", "size_bytes": 0}
        entries[f"{manifest['run']}/f{number}"] = b""


def bad_config(manifest, entries):
    import hashlib

    content = b"schema = 1\nrecipe = 3\n"
    manifest["files"]["config.toml"] = {"sha256": hashlib.sha256(content).hexdigest(), "size_bytes": len(content)}
    entries[f"{manifest['run']}/config.toml"] = content


def link(manifest, entries):
    info = zipfile.ZipInfo(f"{manifest['run']}/passwd")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    manifest["files"]["passwd"] = {"sha256": "", "size_bytes": 11}
    return [(info, b"/etc/passwd")]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (slip("../../evil.txt"), "unsafe"),
        (slip("/etc/evil"), "unsafe"),
        (slip("a/../../b"), "unsafe"),
        (slip("..\\evil"), "unsafe"),
        (slip(".hidden"), "unsafe"),
        (slip("CON"), "unsafe"),
        (slip("evaluations/aux.txt"), "unsafe"),
        (slip("a."), "unsafe"),
        (slip("x" * 250), "unsafe"),
        (slip("d/" * 150 + "x"), "unsafe"),
        (slip("config.toml/x"), "names conflict"),
        (slip("Config.toml"), "names conflict"),
        (link, "link"),
        (wrong_hash, "damaged"),
        (wrong_size, "size"),
        (stowaway, "not those in its manifest"),
        (other_run, "not a run id"),
        (huge, "too large"),
        (bad_config, "configuration"),
    ],
)
def test_nothing_of_an_invalid_archive_is_imported(run, there, tmp_path, change, said):
    file = rewritten(archive.pack(run, tmp_path / "run.zip"), tmp_path / "bad.zip", change)
    with pytest.raises(BadRun, match=said):
        archive.unpack(file, there)
    assert there.run_folders() == []
    assert not list(there.jobs.glob("*")) if there.jobs.exists() else True
    assert not (tmp_path / "evil.txt").exists()


def manifested(content):
    """A change that replaces the manifest of the archive."""

    def write(source, target):
        with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
            for info in old.infolist():
                new.writestr(info.filename, content if info.filename == "manifest.json" else old.read(info))
        return target

    return write


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        '"x"',
        "3",
        "",
        "[" * 200_000,
        "{}",
        '{"format": 1}',
        '{"format": 1, "run": "20300101-000000-x", "files": []}',
        '{"format": 1, "run": "20300101-000000-x", "files": {"config.toml": "x"}}',
        '{"format": 1, "run": "20300101-000000-x", "files": {"config.toml": {}}}',
        '{"format": 1, "run": ["x"], "files": {}}',
    ],
    ids=lambda content: content[:40],
)
def test_a_malformed_manifest_gives_one_clear_error(run, there, tmp_path, content):
    file = manifested(content)(archive.pack(run, tmp_path / "run.zip"), tmp_path / "bad.zip")
    with pytest.raises(BadRun) as caught:
        archive.unpack(file, there)
    assert len(str(caught.value)) < 500 and there.run_folders() == []


def test_flipped_bits_import_nothing_or_the_same_run(run, there, tmp_path):
    """One to three random bits, two hundred times; and one bit in the directory at the end, a hundred times."""
    whole = archive.pack(run, tmp_path / "run.zip").read_bytes()
    expected, draws, bad = files(run.folder), Random(0), tmp_path / "bad.zip"
    directory = whole.index(b"PK\x01\x02")
    flips = [draws.sample(range(8 * len(whole)), draws.randint(1, 3)) for _ in range(200)]
    flips += [[place] for place in draws.sample(range(8 * directory, 8 * len(whole)), 100)]
    for bits in flips:
        content = bytearray(whole)
        for bit in bits:
            content[bit // 8] ^= 1 << bit % 8
        bad.write_bytes(content)
        try:
            found = archive.unpack(bad, there)
        except BadRun:
            assert there.run_folders() == []
        else:
            assert files(found.folder) == expected, bits
            shutil.rmtree(found.folder)


def test_a_password_or_another_compression_is_refused(run, there, tmp_path):
    content = bytearray(archive.pack(run, tmp_path / "run.zip").read_bytes())
    for sign, place in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        at = content.index(sign)
        content[at + place] |= 1
    (tmp_path / "bad.zip").write_bytes(content)
    with pytest.raises(BadRun, match="encrypted"):
        archive.unpack(tmp_path / "bad.zip", there)


def test_files_older_than_1980_can_be_packed(run, there, tmp_path):
    os.utime(run.folder / "evaluations/scores.json", (0, 0))
    found = archive.unpack(archive.pack(run, tmp_path / "run.zip"), there)
    assert files(found.folder) == files(run.folder)


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("packed", ["manifest.json", "scores.json"])
def test_compression_that_cannot_be_unpacked_in_blocks_is_refused(run, there, tmp_path, packing, packed):
    with (
        zipfile.ZipFile(archive.pack(run, tmp_path / "run.zip")) as old,
        zipfile.ZipFile(tmp_path / "b.zip", "w") as new,
    ):
        for info in old.infolist():
            new.writestr(info.filename, old.read(info), packing if info.filename.endswith(packed) else None)
    with pytest.raises(BadRun, match="compressed in a way"):
        archive.unpack(tmp_path / "b.zip", there)
    assert there.run_folders() == [] and not there.jobs.exists()


@pytest.mark.parametrize("bomb", ["manifest.json", "scores.json"])
def test_oversized_contents_never_fill_memory_or_disk(run, there, tmp_path, monkeypatch, bomb):
    """The directory of the archive and its manifest announce a thousand bytes, but there are 60 million."""
    with zipfile.ZipFile(archive.pack(run, tmp_path / "run.zip")) as old:
        entries = {info.filename: old.read(info) for info in old.infolist()}
    manifest = json.loads(entries["manifest.json"])
    manifest["files"]["evaluations/scores.json"]["size_bytes"] = 1000 if bomb == "scores.json" else 23
    entries["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(tmp_path / "bad.zip", "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in entries.items():
            new.writestr(name, content + b" " * 60_000_000 if name.endswith(bomb) else content)
    content = bytearray((tmp_path / "bad.zip").read_bytes())
    size = struct.pack("<I", next(len(one) + 60_000_000 for name, one in entries.items() if name.endswith(bomb)))
    content[content.rindex(size) : content.rindex(size) + 4] = struct.pack("<I", 1000)
    (tmp_path / "bad.zip").write_bytes(content)
    written = []
    monkeypatch.setattr(archive.shutil, "rmtree", lambda draft, **_: written.append(files(draft)))
    tracemalloc.start()
    try:
        with pytest.raises(BadRun, match="damaged"):
            archive.unpack(tmp_path / "bad.zip", there)
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()
    assert there.run_folders() == [] and all(len(one) <= 10_000 for kept in written for one in kept.values())


def test_an_unwritable_runs_folder_is_not_reported_as_a_damaged_archive(run, there, tmp_path):
    file = archive.pack(run, tmp_path / "run.zip")
    there.jobs.write_text("no folder")
    with pytest.raises(BadRun, match=r"there cannot be written: .* another runs folder") as caught:
        archive.unpack(file, there)
    assert "archive" not in str(caught.value)


def test_an_unwritable_archive_path_is_reported(run, tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file" / "x.zip", tmp_path / ("x" * 5000)):
        with pytest.raises(BadRun, match="cannot be written"):
            archive.pack(run, place)


def test_files_that_are_not_archives_are_reported(there, tmp_path):
    (tmp_path / "no.zip").write_bytes(b"PK\x03\x04 not really")
    for name in ("no.zip", "absent.zip"):
        with pytest.raises(BadRun):
            archive.unpack(tmp_path / name, there)
    with zipfile.ZipFile(tmp_path / "empty.zip", "w") as empty:
        empty.writestr("a.txt", "x")
    with pytest.raises(BadRun, match="no manifest"):
        archive.unpack(tmp_path / "empty.zip", there)
    with pytest.raises(BadRun, match="is a folder"):
        archive.unpack(tmp_path, there)


def test_a_truncated_archive_is_refused(run, there, tmp_path):
    file = archive.pack(run, tmp_path / "run.zip")
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    with pytest.raises(BadRun, match="damaged"):
        archive.unpack(file, there)


def test_a_live_or_damaged_run_is_not_packed(run, there, tmp_path):
    events.add(run.folder, events.QUEUED)
    file = archive.pack(run, tmp_path / "run.zip")  # the api would refuse earlier; here the reader does
    with pytest.raises(BadRun, match="not ended"):
        archive.unpack(file, there)
    (run.folder / names.CONFIG).write_text("no toml [")
    with pytest.raises(BadSetting):
        archive.pack(type(run)(run.folder), tmp_path / "other.zip")
