"""Turns a full disk and missing write permission into errors that users can act on."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.core.errors import BadRun, Refused
from workbench.core.writing import is_disk_full

_NO_LEAVE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.EEXIST)


@contextmanager
def full_disk_explained() -> Iterator[None]:
    """A context in which a full disk raises an error that users can act on; other errors pass through.

    Raises:
        Refused: the disk is full.
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
def disk_errors_explained() -> Iterator[None]:
    """A context for code that writes to a runs folder: a full disk and missing permission raise errors that users can act on.

    Raises:
        Refused: the disk is full.
        BadRun: a file or folder cannot be written, an index cannot be used, or another process holds a lock for too long.
    """
    try:
        with full_disk_explained():
            yield
    except (OSError, sqlite3.Error) as error:
        too_long = getattr(error, "errno", None) == errno.ENAMETOOLONG
        if not (too_long or isinstance(error, sqlite3.Error | TimeoutError) or error.errno in _NO_LEAVE):
            raise
        place = getattr(error, "filename", None)
        raise BadRun(
            f"{place or 'The runs folder'} cannot be used.",
            got=getattr(error, "strerror", None) or str(error),
            way_out="Choose a runs folder with a shorter path, with --runs."
            if too_long
            else "Choose another runs folder with --runs, or make this one writable.",
        ) from error


def check_space(folder: Path, needed_bytes: int, what: str) -> None:
    """Check that the disk of `folder` has room; `what` names the operation in the error.

    Raises:
        Refused: fewer than `needed_bytes` are free.
    """
    import shutil

    free = shutil.disk_usage(folder).free
    if free < needed_bytes:
        raise Refused(
            f"{what} needs {needed_bytes / 1e6:,.0f} MB on the disk of the runs folder.",
            got=f"{free / 1e6:,.0f} MB free",
            way_out="Delete old runs or choose another folder with --runs.",
        )
