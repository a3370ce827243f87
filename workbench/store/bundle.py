"""Several runs as one zip file: an archive of each, and a manifest with the hash of each archive."""

import hashlib
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path

from workbench.core.config import RunConfig
from workbench.core.disk_errors import full_disk_explained
from workbench.core.errors import BadRun
from workbench.core.json_values import Json
from workbench.store.archive import DAMAGE, MANIFEST, MOST_BYTES, pack, unpack
from workbench.store.names import RunsFolder, is_id
from workbench.store.run import Run

FORMAT = 1
NAME = "runs.zip"
"""Its name in a report."""
_MANIFEST_BYTES = 1_000_000
_BLOCK_BYTES = 1 << 20
_WAY_OUT = "Write the report, or export the runs, again."


def bundle(runs: Sequence[Run], *, weights: bool = False) -> bytes:
    """The content of a zip file with the archive of each run; without `weights` they have no checkpoints and no model.

    Raises:
        BadRun: a run is damaged.
    """
    content, hashes = BytesIO(), {}
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        for run in runs:
            file = pack(run, Path(folder) / f"{run.id}.zip", weights=weights)
            with file.open("rb") as data:
                digest = hashlib.file_digest(data, "sha256").hexdigest()
            hashes[file.name] = {"sha256": digest, "size_bytes": file.stat().st_size}
            archive.write(file, file.name)  # in blocks: it may have the weights of a run
            file.unlink()
        archive.writestr(MANIFEST, json.dumps({"format": FORMAT, "archives": hashes}, indent=1))
    return content.getvalue()


def unbundle(file: Path, folder: RunsFolder, check: Callable[[RunConfig], object] = lambda config: None) -> list[Run]:
    """Import the runs of a bundle, or of the zip of a report, which holds one. Nothing is added unless every archive has the hash
    that the manifest gives, and none of the runs is there; each is then checked as `unpack` does.

    Raises:
        BadRun: the file is damaged or holds no runs, or a run is there already.
    """
    with tempfile.TemporaryDirectory() as drafts:
        try:
            whole = _inner(file, Path(drafts) / NAME)
            archives = _checked(whole, file.name)
        except DAMAGE as error:
            reason = str(error).strip().split("\n")[0][:200].rstrip(".") or type(error).__name__
            raise BadRun(f"{file.name} is damaged: {reason}.", way_out=_WAY_OUT) from None
        there = [name for name in archives if (folder.path / name.removesuffix(".zip")).exists()]
        if there:
            raise BadRun(
                f"{there[0].removesuffix('.zip')} is already in this folder, so nothing was imported.",
                way_out="Delete it first, or import into another folder.",
            )
        imported = []
        for name in archives:
            draft = Path(drafts) / name
            with zipfile.ZipFile(whole) as archive:
                _unpacked(archive, name, draft)
            imported.append(unpack(draft, folder, check))
            draft.unlink()
    return imported


def is_bundle(file: Path) -> bool:
    """Whether a file is a zip with several runs, or a report with such a zip; what cannot be read is not."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
    except DAMAGE:
        return False
    return any(name.rpartition("/")[2] == NAME for name in names) or (
        MANIFEST in names and all(name == MANIFEST or "/" not in name for name in names)
    )


def _inner(file: Path, draft: Path) -> Path:
    """The zip file with the runs: `file` itself, or what it holds of that kind, unpacked as `draft`."""
    with zipfile.ZipFile(file) as archive:
        inner = next((name for name in archive.namelist() if name.rpartition("/")[2] == NAME), "")
        if not inner:
            return file
        _unpacked(archive, inner, draft)
    return draft


def _checked(file: Path, called: str) -> list[str]:
    """The names of the runs' archives, each with the right hash."""
    with zipfile.ZipFile(file) as archive:
        entry = _entry(archive, MANIFEST, _MANIFEST_BYTES)
        with archive.open(entry) as source:
            manifest: Json = json.loads(source.read(_MANIFEST_BYTES + 1))
        listed = manifest.get("archives") if isinstance(manifest, dict) and manifest.get("format") == FORMAT else None
        if not isinstance(listed, dict) or {*listed, MANIFEST} != {*archive.namelist()}:
            raise BadRun(f"{called}: the archives in it are not those in its manifest.", way_out=_WAY_OUT)
        for name, about in listed.items():
            digest = hashlib.sha256()
            with archive.open(_entry(archive, name)) as source:
                while block := source.read(_BLOCK_BYTES):
                    digest.update(block)
            wanted = about.get("sha256") if isinstance(about, dict) else None
            if not is_id(name.removesuffix(".zip")) or digest.hexdigest() != wanted:
                raise BadRun(f"{name} in {called} is damaged: its hash does not match.", way_out=_WAY_OUT)
    return list(listed)


def _unpacked(archive: zipfile.ZipFile, name: str, target: Path) -> None:
    """Unpack a file of an archive in blocks: it may be much larger than the archive, and than the memory."""
    with archive.open(_entry(archive, name)) as source, full_disk_explained(), target.open("wb") as file:
        shutil.copyfileobj(source, file, _BLOCK_BYTES)


def _entry(archive: zipfile.ZipFile, name: str, most: int = MOST_BYTES) -> zipfile.ZipInfo:
    """A file of an archive, which holds at most `most` bytes; no more than it announces are ever read."""
    try:
        entry = archive.getinfo(name)
    except KeyError:
        raise BadRun("The file has no manifest of runs.", way_out=_WAY_OUT) from None
    if entry.file_size > most:
        raise BadRun(f"{name} is too large.", rule=f"At most {most / 1e9:g} GB.", got=f"{entry.file_size / 1e9:.1f} GB")
    return entry
