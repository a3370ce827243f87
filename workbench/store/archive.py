"""A run as one zip file with a hash of every file; it is only unpacked if everything matches the manifest."""

import hashlib
import json
import re
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from workbench.core import private
from workbench.core.config import RunConfig
from workbench.core.disk_errors import check_space, full_disk_explained
from workbench.core.errors import BadRun, WorkbenchError
from workbench.core.json_values import Json
from workbench.core.paths import existing as exists
from workbench.core.reserved import is_reserved
from workbench.core.writing import place_folder, write_file
from workbench.store import events, names
from workbench.store.leftovers import keeps_last
from workbench.store.names import RunsFolder, check_id
from workbench.store.run import Run

PATHS_SAID = (
    "An exported run has paths of this account in it: those of its backbone, corpus and pairs, in its settings and log."
)
"""What whoever exports a run must know; see SECURITY.md."""
MANIFEST = "manifest.json"
FORMAT = 1
MOST_BYTES = 20_000_000_000
MOST_FILES = 10_000
_LONGEST_NAME = 200
_MANIFEST_BYTES = 10_000_000
_BLOCK_BYTES = 1 << 20
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compression methods that Python unpacks in blocks. For the others it needs as much memory as the file is long."""
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_WAY_OUT = "Export the run again."
DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, ValueError, RuntimeError)
"""Exceptions that damaged files cause. RuntimeError covers a password and endlessly nested brackets."""


def pack(run: Run, file: Path, *, weights: bool = True) -> Path:
    """Write the archive of a run to `file`, which is returned. Without `weights` it has no checkpoints and no model.

    Raises:
        BadRun: the file exists or cannot be written, or the run is damaged.
        BadSetting: the configuration of the run is damaged.
        Refused: the disk is full.
    """
    if exists(file):
        raise BadRun(f"{file} exists.", way_out="Choose another name, or remove it.")
    run.config  # noqa: B018 - a damaged run is reported before anything is written
    heavy = (names.MODEL, names.BACKBONE) if not weights else ()
    removed = None if keeps_last(run) else run.folder / names.CHECKPOINTS / "last"  # if not yet, then in a moment
    chosen = []
    for path in sorted(run.folder.rglob("*")):
        inside = path.relative_to(run.folder)
        if path.is_symlink() or not path.is_file() or any(part.startswith(".") for part in inside.parts):
            continue
        if removed in path.parents:
            continue
        if inside.parts[0] in heavy or (not weights and path.suffix == ".safetensors"):
            continue
        if not weights and inside.parts[0] == names.CHECKPOINTS:
            continue
        chosen.append((path, inside.as_posix()))
    hashes = {name: {"sha256": _hash(path), "size_bytes": path.stat().st_size} for path, name in chosen}
    manifest = {"format": FORMAT, "run": run.id, "weights": weights, "files": hashes}

    def write(draft: Path) -> None:
        # Zip files have no dates before 1980: older files get that date.
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=1, strict_timestamps=False) as archive:
            archive.writestr(MANIFEST, json.dumps(manifest, indent=1))
            for path, name in chosen:
                archive.write(path, f"{run.id}/{name}")

    with _writing(file, "Choose another place for the archive."):
        write_file(file, write)
    return file


def unpack(file: Path, folder: RunsFolder, check: Callable[[RunConfig], object] = lambda config: None) -> Run:
    """Import the run of an archive into `folder`. Nothing is added unless every name, size and hash matches the
    manifest and `check`, called with the configuration, does not raise.

    Raises:
        BadRun: the file is not an archive of a run, damaged, unsafe or too large, or the folder has this run already.
        Refused: there is not enough disk space.
    """
    with _reading(file):
        archive = zipfile.ZipFile(file)
    with archive:
        with _reading(file):
            run_id, files, size_bytes = _checked(archive)
        with _writing(folder.path, "Choose another runs folder with --runs, or make this one writable."):
            return _placed(archive, run_id, files, size_bytes, folder, file, check)


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    """Turns exceptions from reading an archive into BadRun."""
    try:
        yield
    except FileNotFoundError:
        raise BadRun(f"There is no file {str(file)!r}.", way_out="Check the path.") from None
    except IsADirectoryError:
        raise BadRun(
            f"{file} is a folder.",
            rule="An import takes the .zip file that an export wrote, packed.",
            way_out="Pack it again, or copy the run's folder into the runs folder.",
        ) from None
    except DAMAGE as error:
        reason = str(error).strip().split("\n")[0][:200].rstrip(".") or type(error).__name__
        raise BadRun(f"{file.name} is not an archive of a run, or it is damaged: {reason}.", way_out=_WAY_OUT) from None


@contextmanager
def _writing(path: Path, way_out: str) -> Iterator[None]:
    """Turns exceptions from writing to `path` into BadRun."""
    try:
        with full_disk_explained():
            yield
    except OSError as error:
        raise BadRun(f"{path} cannot be written: {error.strerror or error}.", way_out=way_out) from None


def _checked(archive: zipfile.ZipFile) -> tuple[str, dict[str, dict[str, Json]], int]:
    """The run id, the manifest entry of each file, and their total bytes, after checking them. Only the manifest is
    unpacked.

    Raises:
        BadRun: see `unpack`.
    """
    entries = {entry.filename: entry for entry in archive.infolist()}
    if any(entry.compress_type not in _PACKED for entry in entries.values()):
        raise BadRun("The archive contains files compressed in a way that an export does not use.", way_out=_WAY_OUT)
    if MANIFEST not in entries or entries[MANIFEST].file_size > _MANIFEST_BYTES:
        raise BadRun("The archive has no manifest of a run.", way_out=_WAY_OUT)
    with archive.open(entries[MANIFEST]) as source:  # with a limit: it may contain more than it announces
        run_id, files = _manifest(json.loads(source.read(_MANIFEST_BYTES + 1)))
    if set(entries) != {MANIFEST, *(f"{run_id}/{name}" for name in files)}:
        raise BadRun("The files in the archive are not those in its manifest.", way_out=_WAY_OUT)
    total, taken = 0, {name.casefold() for name in files}
    for name, about in files.items():
        entry = entries[f"{run_id}/{name}"]
        if not _is_safe(name):
            raise BadRun(
                f"The archive contains a file with an unsafe name: {name[:_LONGEST_NAME]!r}.",
                rule="Files must be inside the run's folder and have names that every system allows.",
            )
        if len(taken) < len(files) or any(str(above).casefold() in taken for above in PurePosixPath(name).parents):
            raise BadRun("The archive contains files whose names conflict.", way_out=_WAY_OUT)
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise BadRun(f"The archive contains a link: {name!r}.", rule="Only plain files are imported.")
        if entry.file_size != about["size_bytes"]:
            raise BadRun(f"{name} in the archive does not have the size given in its manifest.", way_out=_WAY_OUT)
        total += entry.file_size
    if total > MOST_BYTES or len(files) > MOST_FILES:
        raise BadRun(
            "The archive is too large.",
            rule=f"At most {MOST_BYTES / 1e9:.0f} GB and {MOST_FILES:,} files.",
            got=f"{total / 1e9:.1f} GB",
        )
    return run_id, files, total


def _is_safe(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return (
        0 < len(name) <= _LONGEST_NAME
        and "/".join(parts) == name
        and all(_PART.fullmatch(part) and not is_reserved(part) for part in parts)
    )


def _placed(
    archive: zipfile.ZipFile,
    run_id: str,
    files: dict[str, dict[str, Json]],
    size_bytes: int,
    folder: RunsFolder,
    file: Path,
    check: Callable[[RunConfig], object],
) -> Run:
    """Unpacks the run next to its final folder, checks it, and moves it there in one step."""
    if (folder.path / run_id).exists():
        raise BadRun(
            f"The run {run_id} is already in this folder.", way_out="Delete it first, or import into another folder."
        )
    check_space(folder.path, size_bytes, "The archive")
    private.make_folder(folder.jobs)
    draft = Path(tempfile.mkdtemp(prefix="import-", dir=folder.jobs))
    try:
        for name, about in files.items():
            _extract(archive, archive.getinfo(f"{run_id}/{name}"), draft / name, about["sha256"], file)
        with _reading(file):
            try:
                config = Run(draft).config
            except WorkbenchError as error:
                raise BadRun(f"The archive's configuration cannot be used: {error}") from None
            state = events.status(draft).state
        check(config)
        if state in (*events.LIVE, events.QUEUED):
            raise BadRun("The archive contains a run that had not ended.", way_out="Stop it, then export it again.")
        place_folder(draft, folder.path / run_id)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return Run(folder.path / run_id)


def _manifest(read: Json) -> tuple[str, dict[str, dict[str, Json]]]:
    """The run id of an archive, and the manifest entry of each of its files.

    Raises:
        BadRun: the manifest has another format, or does not list the files.
    """
    if not isinstance(read, dict) or read.get("format") != FORMAT:
        got = f"format {read.get('format')!r}"[:80] if isinstance(read, dict) else f"a {type(read).__name__}"
        raise BadRun("The archive's manifest cannot be read.", rule=f"This version reads format {FORMAT}.", got=got)
    files = read.get("files")
    whole: dict[str, dict[str, Json]] = {}
    for name, about in files.items() if isinstance(files, dict) else ():
        if isinstance(about, dict) and {"sha256", "size_bytes"} <= about.keys():
            whole[name] = about
    if not isinstance(files, dict) or len(whole) < len(files):
        raise BadRun("The archive's manifest does not list its files.", way_out=_WAY_OUT)
    return check_id(str(read.get("run"))[:_LONGEST_NAME]), whole


def _extract(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, sha256: Json, file: Path) -> None:
    """Copy one file, but never more bytes than were announced.

    Raises:
        BadRun: the file is larger than announced, or its hash differs.
    """
    private.make_folder(path.parent)
    digest, left = hashlib.sha256(), entry.file_size
    with open(path, "wb", opener=private.opener) as target:
        for block in _blocks(archive, entry, file):
            left -= len(block)
            if left < 0:
                raise BadRun(f"{entry.filename} is larger than the archive announces.", way_out=_WAY_OUT)
            digest.update(block)
            target.write(block)
    if digest.hexdigest() != sha256:
        raise BadRun(f"{entry.filename} in the archive is damaged: its hash does not match.", way_out=_WAY_OUT)


def _blocks(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, file: Path) -> Iterator[bytes]:
    with _reading(file), archive.open(entry) as source:
        while block := source.read(_BLOCK_BYTES):
            yield block


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
