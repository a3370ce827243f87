"""Reading and writing in a runs folder: what is damaged is passed over, and what cannot be written is said."""

import errno
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from workbench.core import unicode
from workbench.core.errors import BadRun, Refused
from workbench.core.writing import is_disk_full, write_text


def read_json(path: Path) -> Any:
    """The content, or None if the file is missing or damaged."""
    try:
        return _parsed(path.read_bytes())
    except (OSError, ValueError, RecursionError):  # brackets without end are damage too
        return None


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file; empty if the file is missing or damaged, or holds something else."""
    found = read_json(path)
    return found if isinstance(found, dict) else {}


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
        row = _parsed(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _parsed(content: bytes) -> Any:
    """What JSON says, with whole characters only: it may hold half of one, as an escape or as bytes, and no table can.

    Raises:
        ValueError: it is not JSON in UTF-8.
    """
    try:
        return orjson.loads(content)
    except ValueError:  # half a character, or what orjson alone refuses, such as NaN
        return _whole(json.loads(content.decode("utf-8", "surrogatepass")))


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return unicode.whole(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {unicode.whole(name): _whole(item) for name, item in value.items()}
    return value


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
