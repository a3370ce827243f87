"""A run as one zip: packed with a hash of every file, and unpacked only if it is exactly that."""

import hashlib
import json
import lzma
import re
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Any

from workbench.core.errors import BadRun, WorkbenchError
from workbench.core.paths import found as exists
from workbench.store import events, names
from workbench.store.names import RunsFolder, check_id
from workbench.store.run import Run
from workbench.store.writing import check_space, full_disk_is_said, write_file

MANIFEST = "manifest.json"
FORMAT = 1
MOST_BYTES = 20_000_000_000
MOST_FILES = 10_000
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_WAY_OUT = "Export the run again."
_DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, OSError, EOFError, ValueError, RuntimeError)
"""What damaged bytes set off. RuntimeError: a password, a way of packing that Python does not know, brackets without end."""


def pack(run: Run, file: Path, *, weights: bool = True) -> Path:
    """Write the archive; without `weights` no checkpoint and no model.

    Raises:
        BadRun: the file is there already or cannot be written, or the run is damaged.
    """
    if exists(file):
        raise BadRun(f"{file} exists.", way_out="Choose another name, or remove it.")
    run.config  # noqa: B018 - a damaged run is said before anything is written
    heavy = (names.MODEL, names.BACKBONE) if not weights else ()
    chosen = []
    for path in sorted(run.folder.rglob("*")):
        inside = path.relative_to(run.folder)
        if path.is_symlink() or not path.is_file() or any(part.startswith(".") for part in inside.parts):
            continue
        if inside.parts[0] in heavy or (not weights and path.suffix == ".safetensors"):
            continue
        if not weights and inside.parts[0] == names.CHECKPOINTS:
            continue
        chosen.append((path, inside.as_posix()))
    hashes = {name: {"sha256": _hash(path), "size_bytes": path.stat().st_size} for path, name in chosen}
    manifest = {"format": FORMAT, "run": run.id, "weights": weights, "files": hashes}

    def write(draft: Path) -> None:
        # A zip knows no year before 1980: what is older is dated then.
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=1, strict_timestamps=False) as archive:
            archive.writestr(MANIFEST, json.dumps(manifest, indent=1))
            for path, name in chosen:
                archive.write(path, f"{run.id}/{name}")

    try:
        with full_disk_is_said():
            write_file(file, write)
    except OSError as error:
        raise BadRun(
            f"{file} cannot be written: {error.strerror or error}.", way_out="Choose another place for the archive."
        ) from None
    return file


def unpack(file: Path, folder: RunsFolder) -> Run:
    """Place the run of an archive in `folder`. Nothing is placed unless every name, size and hash is as it should be.

    Raises:
        BadRun: not such an archive, damaged, unsafe, too large, or a run that is here already.
        Refused: no room.
    """
    try:
        with full_disk_is_said(), zipfile.ZipFile(file) as archive:
            return _unpack(archive, folder)
    except FileNotFoundError:
        raise BadRun(f"There is no file {file}.") from None
    except _DAMAGE as error:
        reason = str(error).strip().split("\n")[0][:200].rstrip(".") or type(error).__name__
        raise BadRun(f"{file.name} is no archive of a run, or it is damaged: {reason}.", way_out=_WAY_OUT) from None


def _unpack(archive: zipfile.ZipFile, folder: RunsFolder) -> Run:
    entries = {entry.filename: entry for entry in archive.infolist()}
    if MANIFEST not in entries or entries[MANIFEST].file_size > 10_000_000:
        raise BadRun("The archive has no manifest of a run.", way_out=_WAY_OUT)
    run_id, files = _manifest(json.loads(archive.read(MANIFEST)))
    if set(entries) != {MANIFEST, *(f"{run_id}/{name}" for name in files)}:
        raise BadRun("The archive holds other files than its manifest names.", way_out=_WAY_OUT)
    total = 0
    for name, about in files.items():
        entry = entries[f"{run_id}/{name}"]
        parts = PurePosixPath(name).parts
        if not parts or "/".join(parts) != name or not all(_PART.fullmatch(part) for part in parts):
            raise BadRun(
                f"The archive holds a file with an unsafe name: {name!r}.", rule="Files lie inside the run's folder."
            )
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise BadRun(f"The archive holds a link: {name!r}.", rule="Only plain files are taken.")
        if entry.file_size != about["size_bytes"]:
            raise BadRun(f"{name} in the archive is not of the size that its manifest says.", way_out=_WAY_OUT)
        total += entry.file_size
    if total > MOST_BYTES or len(files) > MOST_FILES:
        raise BadRun(
            "The archive is too large.",
            rule=f"At most {MOST_BYTES / 1e9:.0f} GB and {MOST_FILES:,} files.",
            got=f"{total / 1e9:.1f} GB",
        )
    if (folder.path / run_id).exists():
        raise BadRun(
            f"The run {run_id} is in this folder already.", way_out="Delete it first, or import into another folder."
        )
    check_space(folder.path, total, "The archive")
    folder.jobs.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix="import-", dir=folder.jobs))
    try:
        for name, about in files.items():
            _extract(archive, entries[f"{run_id}/{name}"], draft / name, about["sha256"])
        try:
            Run(draft).config  # noqa: B018
        except WorkbenchError as error:
            raise BadRun(f"The archive's configuration cannot be used: {error}") from None
        if events.status(draft).state in (*events.LIVE, events.QUEUED):
            raise BadRun("The archive holds a run that had not ended.", way_out="Stop it, then export it again.")
        draft.chmod(0o755)
        draft.rename(folder.path / run_id)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return Run(folder.path / run_id)


def _manifest(read: Any) -> tuple[str, dict[str, dict[str, Any]]]:
    """The run of an archive, and what is said of each of its files."""
    if not isinstance(read, dict) or read.get("format") != FORMAT:
        got = f"format {read.get('format')!r}" if isinstance(read, dict) else f"a {type(read).__name__}"
        raise BadRun("The archive's manifest cannot be read.", rule=f"This version reads format {FORMAT}.", got=got)
    files = read.get("files")
    if not isinstance(files, dict) or not all(
        isinstance(about, dict) and {"sha256", "size_bytes"} <= about.keys() for about in files.values()
    ):
        raise BadRun("The archive's manifest does not say which files there are.", way_out=_WAY_OUT)
    return check_id(str(read.get("run"))), files


def _extract(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, sha256: str) -> None:
    """Copy one file, never more bytes than were announced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digest, left = hashlib.sha256(), entry.file_size
    with archive.open(entry) as source, path.open("wb") as target:
        while block := source.read(1 << 20):
            left -= len(block)
            if left < 0:
                raise BadRun(f"{entry.filename} is larger than it says.", way_out=_WAY_OUT)
            digest.update(block)
            target.write(block)
    if digest.hexdigest() != sha256:
        raise BadRun(f"{entry.filename} in the archive is damaged: its hash is another.", way_out=_WAY_OUT)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
