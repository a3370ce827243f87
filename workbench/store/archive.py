"""A run as one zip: packed with a hash of every file, and unpacked only if it is exactly that."""

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
from workbench.core.writing import write_file
from workbench.store import events, names
from workbench.store.names import RunsFolder, check_id
from workbench.store.run import Run

MANIFEST = "manifest.json"
FORMAT = 1
MOST_BYTES = 20_000_000_000
MOST_FILES = 10_000
_LONGEST_NAME = 200
_MANIFEST_BYTES = 10_000_000
_BLOCK_BYTES = 1 << 20
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The ways of packing that are unpacked a block at a time: of the others Python takes as much memory as the file is long."""
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_WAY_OUT = "Export the run again."
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, ValueError, RuntimeError)
"""What damaged bytes set off. RuntimeError: a password, brackets without end."""


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

    with _writing(file, "Choose another place for the archive."):
        write_file(file, write)
    return file


def unpack(file: Path, folder: RunsFolder, check: Callable[[RunConfig], object] = lambda config: None) -> Run:
    """Place the run of an archive in `folder`. Nothing is placed unless every name, size and hash is as it should be, and
    `check`, which is given its configuration, raises nothing.

    Raises:
        BadRun: not such an archive, damaged, unsafe, too large, or a run that is here already.
        Refused: no room.
    """
    with _reading(file):
        archive = zipfile.ZipFile(file)
    with archive:
        with _reading(file):
            run_id, files, size_bytes = _checked(archive)
        with _writing(
            folder.path, "Choose another runs folder with --runs, or see to it that this one may be written."
        ):
            return _placed(archive, run_id, files, size_bytes, folder, file, check)


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    """What is wrong with an archive is said."""
    try:
        yield
    except FileNotFoundError:
        raise BadRun(f"There is no file {str(file)!r}.") from None
    except _DAMAGE as error:
        reason = str(error).strip().split("\n")[0][:200].rstrip(".") or type(error).__name__
        raise BadRun(f"{file.name} is not an archive of a run, or it is damaged: {reason}.", way_out=_WAY_OUT) from None


@contextmanager
def _writing(path: Path, way_out: str) -> Iterator[None]:
    """What keeps a place from being written to is said."""
    try:
        with full_disk_explained():
            yield
    except OSError as error:
        raise BadRun(f"{path} cannot be written: {error.strerror or error}.", way_out=way_out) from None


def _checked(archive: zipfile.ZipFile) -> tuple[str, dict[str, dict[str, Json]], int]:
    """The run of an archive, what is said of each of its files, and their bytes; nothing but the manifest is unpacked."""
    entries = {entry.filename: entry for entry in archive.infolist()}
    if any(entry.compress_type not in _PACKED for entry in entries.values()):
        raise BadRun("The archive holds files that are packed in another way than an export packs.", way_out=_WAY_OUT)
    if MANIFEST not in entries or entries[MANIFEST].file_size > _MANIFEST_BYTES:
        raise BadRun("The archive has no manifest of a run.", way_out=_WAY_OUT)
    with archive.open(entries[MANIFEST]) as source:  # never all at once: it may hold more than it says
        run_id, files = _manifest(json.loads(source.read(_MANIFEST_BYTES + 1)))
    if set(entries) != {MANIFEST, *(f"{run_id}/{name}" for name in files)}:
        raise BadRun("The archive holds other files than its manifest names.", way_out=_WAY_OUT)
    total, taken = 0, {name.casefold() for name in files}
    for name, about in files.items():
        entry = entries[f"{run_id}/{name}"]
        if not _is_safe(name):
            raise BadRun(
                f"The archive holds a file with an unsafe name: {name[:_LONGEST_NAME]!r}.",
                rule="Files lie inside the run's folder, under names that every system has.",
            )
        if len(taken) < len(files) or any(str(above).casefold() in taken for above in PurePosixPath(name).parents):
            raise BadRun("The archive holds files that cannot lie beside each other.", way_out=_WAY_OUT)
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
    """The run in its place: unpacked beside it, looked at, and moved there at once."""
    if (folder.path / run_id).exists():
        raise BadRun(
            f"The run {run_id} is in this folder already.", way_out="Delete it first, or import into another folder."
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
            raise BadRun("The archive holds a run that had not ended.", way_out="Stop it, then export it again.")
        draft.rename(folder.path / run_id)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return Run(folder.path / run_id)


def _manifest(read: Json) -> tuple[str, dict[str, dict[str, Json]]]:
    """The run of an archive, and what is said of each of its files."""
    if not isinstance(read, dict) or read.get("format") != FORMAT:
        got = f"format {read.get('format')!r}"[:80] if isinstance(read, dict) else f"a {type(read).__name__}"
        raise BadRun("The archive's manifest cannot be read.", rule=f"This version reads format {FORMAT}.", got=got)
    files = read.get("files")
    whole: dict[str, dict[str, Json]] = {}
    for name, about in files.items() if isinstance(files, dict) else ():
        if isinstance(about, dict) and {"sha256", "size_bytes"} <= about.keys():
            whole[name] = about
    if not isinstance(files, dict) or len(whole) < len(files):
        raise BadRun("The archive's manifest does not say which files there are.", way_out=_WAY_OUT)
    return check_id(str(read.get("run"))[:_LONGEST_NAME]), whole


def _extract(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, sha256: Json, file: Path) -> None:
    """Copy one file, never more bytes than were announced."""
    private.make_folder(path.parent)
    digest, left = hashlib.sha256(), entry.file_size
    with open(path, "wb", opener=private.opener) as target:
        for block in _blocks(archive, entry, file):
            left -= len(block)
            if left < 0:
                raise BadRun(f"{entry.filename} is larger than it says.", way_out=_WAY_OUT)
            digest.update(block)
            target.write(block)
    if digest.hexdigest() != sha256:
        raise BadRun(f"{entry.filename} in the archive is damaged: its hash is another.", way_out=_WAY_OUT)


def _blocks(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, file: Path) -> Iterator[bytes]:
    with _reading(file), archive.open(entry) as source:
        while block := source.read(_BLOCK_BYTES):
            yield block


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
