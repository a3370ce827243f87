"""A full disk, and files that may not be written, as errors that people can act on."""

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
def disk_errors_explained() -> Iterator[None]:
    """For what writes into a runs folder: a full disk, and files that may not be written, become errors that people can
    act on.

    Raises:
        Refused: there is no room.
        BadRun: a file or folder may not be written, an index cannot be used, or somebody holds a lock for too long.
    """
    try:
        with full_disk_explained():
            yield
    except (OSError, sqlite3.Error) as error:
        if not isinstance(error, sqlite3.Error | TimeoutError) and error.errno not in _NO_LEAVE:
            raise
        place = getattr(error, "filename", None)
        raise BadRun(
            f"{place or 'The runs folder'} cannot be used.",
            got=getattr(error, "strerror", None) or str(error),
            way_out="Choose another runs folder with --runs, or make this one writable.",
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
