"""Writing that survives a crash and a full disk: a file appears complete or not at all, and lines are appended whole.

Every file that is kept is written here, so that a test can make the n-th write of a process fail; see `_FAULT`.
"""

import errno
import io
import json
import os
import secrets
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from workbench.core import private
from workbench.core.errors import BadSetting, Refused
from workbench.core.json_values import Json

if TYPE_CHECKING:
    from typing_extensions import Buffer


_FAULT = os.environ.get("WORKBENCH_FAULT", "")
"""For tests of full and broken disks: a file that holds `MODULE N ERRNO`, as in `worker 12 ENOSPC`. The N-th write of a
process whose main module is called MODULE (its last name) fails with that error, once; the file is then removed."""
_writes = 0


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A context with a temporary file to write to, which replaces `path` once it is complete and on the disk.

    On failure `path` is left unchanged.

    Raises:
        OSError: it cannot be written, or is shorter on the disk than what was written.
    """
    with _replacing(path) as draft, draft.open("xb") as file:
        counted = _Counted(file)
        yield counted  # type: ignore[misc]
        file.flush()
        sync(draft)
        if os.fstat(file.fileno()).st_size != counted.size:
            raise OSError(errno.EIO, "it is shorter on the disk than what was written", str(path))


def write_file(path: Path, save: Callable[[Path], object]) -> None:
    """See `whole_file`; for libraries that need a path. `save` must not return before the file is complete."""
    with _replacing(path) as draft:
        save(draft)
        sync(draft)


def write_bytes(path: Path, content: bytes) -> None:
    """See `whole_file`."""
    with whole_file(path) as file:
        file.write(content)


def write_text(path: Path, content: str) -> None:
    """See `whole_file`. Always UTF-8 and LF."""
    write_bytes(path, content.encode("utf-8", "surrogatepass"))


def write_json(path: Path, value: object) -> None:
    """See `whole_file`. NaN becomes null, because JSON has no NaN."""
    write_text(path, json.dumps(plain(value), ensure_ascii=False, indent=1))


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A context with a new folder to fill, which replaces `path` once all its files are on the disk. One process at a time.

    A half-filled folder left by an earlier process is removed. On failure `path` is left unchanged.
    """
    draft = path.with_name(f".{path.name}.tmp")
    shutil.rmtree(draft, ignore_errors=True)
    private.make_folder(draft)
    try:
        yield draft
        if fault := _fault(path):
            raise fault
        place_folder(draft, path, instead=True)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def place_folder(draft: Path, path: Path, *, instead: bool = False) -> None:
    """Move a filled folder to `path` once all that is in it is on the disk; `instead` of a folder that is there.

    Raises:
        OSError: it cannot be moved, or something is there.
    """
    for inside in (*draft.rglob("*"), draft):
        sync(inside)
    if instead:
        shutil.rmtree(path, ignore_errors=True)
    draft.rename(path)
    sync(path.parent)


@contextmanager
def output_file(path: Path) -> Iterator[BinaryIO]:
    """See `whole_file`; for a file that a user named. Links are followed, and a pipe or device is written to directly.

    Raises:
        Refused: the disk is full.
        BadSetting: the file cannot be written, or its folder does not exist.
    """
    if not path.parent.is_dir():
        raise BadSetting(f"There is no folder {path.parent}.", way_out="Make it first, or choose another place.")
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as pipe:
                yield pipe
        else:
            with whole_file(path.resolve()) as file:
                yield file
    except OSError as error:
        if is_disk_full(error):
            raise Refused(
                f"There is no space left to write {path}.",
                rule="What was there before is unchanged.",
                way_out="Free some space, or choose another place.",
            ) from error
        raise BadSetting(
            f"{path} cannot be written.", got=error.strerror or str(error), way_out="Choose another place."
        ) from error


def append_line(path: Path, row: Mapping[str, object], *, flushed: bool = True) -> None:
    """Append one JSON object as one line, in one write. A line that a crash or a full disk cut short is ended first.

    The line is on the disk afterwards, unless it need not be `flushed`: then a power cut may take the last ones.

    Raises:
        OSError: the line cannot be written whole. Earlier lines are unchanged.
    """
    line = json.dumps(plain(row), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
    handle = os.open(
        path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), private.file_mode(path.parent)
    )
    try:
        size = os.fstat(handle).st_size
        if size:
            os.lseek(handle, size - 1, os.SEEK_SET)
            if os.read(handle, 1) != b"\n":
                line = b"\n" + line
        if fault := _fault(path):
            os.write(handle, line[: len(line) // 2])
            raise fault
        if os.write(handle, line) != len(line):  # readers skip the partial line, and the next append ends it
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    finally:
        os.close(handle)
    if flushed:
        sync(path)
        if not size:  # its name may be new
            sync(path.parent)


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A context with a temporary path next to `path`; the file there replaces `path` at the end, or is removed on failure."""
    made = private.make_folder(path.parent)
    draft = temporary(path)
    try:
        yield draft
        if fault := _fault(path):
            os.truncate(draft, draft.stat().st_size // 2)
            raise fault
        if path.exists():
            draft.chmod(path.stat().st_mode)
        elif private.is_private(path.parent):
            draft.chmod(private.FILE_MODE)
        _replace(draft, path)
        for folder in (path.parent, *(one.parent for one in made)):
            sync(folder)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


class _Counted(io.RawIOBase):
    """A file that counts what is written to it.

    It has no file descriptor: given one, numpy would pass the array to the C library and would not notice that the last part was
    not written.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.size = file, 0

    def writable(self) -> bool:
        return True

    def write(self, data: "Buffer", /) -> int:
        self.size += self.file.write(data)
        return memoryview(data).nbytes

    def tell(self) -> int:
        return self.size


def _fault(path: Path) -> OSError | None:
    """The error that a test injects into this write; see `_FAULT`."""
    global _writes
    if not _FAULT:
        return None
    _writes += 1
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    try:
        module, number, name = Path(_FAULT).read_text(encoding="utf-8").split()
    except OSError:
        return None
    if spec is None or spec.name.rpartition(".")[2] != module or _writes != int(number):
        return None
    Path(_FAULT).unlink()
    code = getattr(errno, name)
    print(f"Write {number} of this process, of {path.name}, fails as asked: {name}.", file=sys.stderr, flush=True)
    return OSError(code, os.strerror(code), str(path))


def sync(path: Path) -> None:
    """Flush the bytes of a file, or the names in a folder, to the disk."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:  # Windows cannot open folders
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EACCES, errno.EPERM, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(handle)


def temporary(path: Path) -> Path:
    """A hidden path next to `path`, different each time, because threads and other machines may write at the same time."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")


def _replace(draft: Path, path: Path) -> None:
    """Windows refuses while another process reads the old file, so retry for a moment."""
    for pause in (0.01, 0.05, 0.2, 0.5):
        try:
            draft.replace(path)
            return
        except PermissionError:
            time.sleep(pause)
    draft.replace(path)


def plain(value: object) -> Json:
    """`value` as JSON types: numpy values become numbers or lists, tuples and sets lists, NaN and infinity None, others text."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # numpy arrays and scalars, without importing it
        return plain(value.tolist())
    if isinstance(value, float):
        return value if value - value == 0 else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


_FULL = ("os error 28", "os error 27", "os error 122", "No space left on device", "database or disk is full")
_NO_ROOM = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
)
"""SQLite's error codes when the disk is full; the message of most of them is only "disk I/O error"."""


def is_disk_full(error: BaseException) -> bool:
    """Whether `error`, or an error that caused it, means that there is no room (disk, quota or file size limit).

    Messages are searched too, because safetensors reports the operating system's error as text only.
    """
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", -1), errno.EFBIG):
            return True
        if isinstance(seen, sqlite3.Error) and getattr(seen, "sqlite_errorcode", None) in _NO_ROOM:
            return True
        if any(sign in str(seen) for sign in _FULL):
            return True
        seen = seen.__cause__ or seen.__context__
    return False
