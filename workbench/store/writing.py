"""Writing that survives a crash: whole files appear at once or not at all, and lines are appended whole."""

import errno
import json
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workbench.core.errors import BadRun, Refused


def sync(path: Path) -> None:
    """Make sure that the bytes of a file, or the names in a folder, are on the disk."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:  # Windows opens no folders
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EACCES, errno.EPERM, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(handle)


def temporary(path: Path) -> Path:
    """A name beside `path` that no reader looks at, another one each time: threads write too, and machines that share a disk."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")


def write_file(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file, then put it in the place of `path`. On failure `path` stays as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = temporary(path)
    try:
        write(draft)
        sync(draft)
        _replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _replace(draft: Path, path: Path) -> None:
    """Windows refuses while somebody reads the old file: try again for a moment."""
    for pause in (0.01, 0.05, 0.2, 0.5):
        try:
            draft.replace(path)
            return
        except PermissionError:
            time.sleep(pause)
    draft.replace(path)


def write_bytes(path: Path, content: bytes) -> None:
    """See `write_file`."""
    write_file(path, lambda draft: draft.write_bytes(content))


def write_text(path: Path, content: str) -> None:
    """See `write_file`. Always UTF-8 and LF."""
    write_bytes(path, content.encode("utf-8", "surrogatepass"))


def write_json(path: Path, value: Any) -> None:
    """See `write_file`. NaN becomes null, since JSON has none."""
    write_text(path, json.dumps(plain(value), ensure_ascii=False, indent=1))


def plain(value: Any) -> Any:
    """`value` in what JSON has: numpy numbers become numbers, tuples lists, paths texts, NaN and infinity None."""
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


def read_json(path: Path) -> Any:
    """The content, or None if the file is missing or damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):  # brackets without end are damage too
        return None


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file; empty if the file is missing or damaged, or holds something else."""
    found = read_json(path)
    return found if isinstance(found, dict) else {}


def append_line(path: Path, row: dict[str, Any]) -> None:
    """Append one JSON object as one line, in one write. A line that a crash cut is closed first."""
    line = json.dumps(plain(row), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)
    try:
        size = os.fstat(handle).st_size
        if size:
            os.lseek(handle, size - 1, os.SEEK_SET)
            if os.read(handle, 1) != b"\n":
                line = b"\n" + line
        written = os.write(handle, line)
        if written != len(line):  # the disk filled up inside the line: readers skip it
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    finally:
        os.close(handle)


def read_lines(path: Path, start: int = 0) -> Iterator[dict[str, Any]]:
    """The objects of a jsonl file from byte `start` on. Cut or damaged lines are skipped; a missing file is empty."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            content = file.read()
    except FileNotFoundError:
        return
    yield from (row for line in content.split(b"\n") if (row := row_of(line)) is not None)


def row_of(line: bytes) -> dict[str, Any] | None:
    """The object that a line of a jsonl file holds; None if it is cut, damaged, or something else."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def numeric(value: Any) -> bool:
    """Whether a value of a row can be computed with.

    >>> numeric(3), numeric(float("nan")), numeric(True), numeric("3")
    (True, False, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def last_line(path: Path, tail: int = 8192) -> dict[str, Any] | None:
    """The last whole object of a jsonl file, without reading all of it."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return None
    rows = list(read_lines(path, max(0, size - tail)))
    return rows[-1] if rows else None


def cut_after(path: Path, keep: Callable[[dict[str, Any]], bool]) -> None:
    """Rewrite a jsonl file with only the rows that `keep` accepts."""
    if path.exists():
        rows = [row for row in read_lines(path) if keep(row)]
        write_text(path, "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows))


_FULL = ("os error 28", "os error 27", "os error 122", "No space left on device", "database or disk is full")
_NO_ROOM = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
)
"""What SQLite says where the system says that there is no room: "disk I/O error" for most of them."""
_NO_LEAVE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.EEXIST)


@contextmanager
def full_disk_is_said() -> Iterator[None]:
    """A full disk becomes an error that people can act on; everything else passes through.

    Raises:
        Refused: there is no room.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, Refused) or not is_disk_full(error):
            raise
        raise Refused(
            "The disk of the runs folder is full.",
            rule="Nothing that was saved is lost.",
            way_out="Delete old runs, or choose another folder with --runs.",
        ) from error


@contextmanager
def trouble_is_said() -> Iterator[None]:
    """For what writes into a runs folder: a full disk, and files that may not be written, become errors that people can
    act on.

    Raises:
        Refused: there is no room.
        BadRun: a file or folder may not be written, an index cannot be used, or somebody holds a lock for too long.
    """
    try:
        with full_disk_is_said():
            yield
    except (OSError, sqlite3.Error) as error:
        if not isinstance(error, sqlite3.Error | TimeoutError) and error.errno not in _NO_LEAVE:
            raise
        place = getattr(error, "filename", None)
        raise BadRun(
            f"{place or 'The runs folder'} cannot be used.",
            got=getattr(error, "strerror", None) or str(error),
            way_out="Choose another runs folder with --runs, or see to it that this one may be written.",
        ) from error


def is_disk_full(error: BaseException) -> bool:
    """Whether `error`, or what caused it, says that there is no room (disk, quota or file size limit).

    safetensors reports the operating system's error as text only.
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


def check_space(folder: Path, needed_bytes: int, what: str) -> None:
    """Refuse what would fill the disk.

    Raises:
        Refused: less than `needed_bytes` are free.
    """
    import shutil

    free = shutil.disk_usage(folder).free
    if free < needed_bytes:
        raise Refused(
            f"{what} needs {needed_bytes / 1e6:,.0f} MB on the disk of the runs folder.",
            got=f"{free / 1e6:,.0f} MB free",
            way_out="Delete old runs or choose another folder with --runs.",
        )
