"""SQLite shared by processes: short transactions that wait for locks, and no write-ahead log on network disks."""

import errno
import os
import re
import sqlite3
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from workbench.core import private
from workbench.core.writing import is_disk_full

MOUNTS = Path("/proc/self/mountinfo")
WAIT_SECONDS = 10.0
"""How long to wait for a lock that another process holds."""
LONGEST_PATH = 500
"""From so many bytes on SQLite may not open a file by its path; that it was not found or not allowed is known before."""
_NETWORK = (
    "nfs", "cifs", "smb", "lustre", "fuse", "9p", "beegfs", "gpfs", "ceph", "afs", "davfs", "virtiofs", "vboxsf", "vmhgfs",
    "prl_fs",
)  # fmt: skip
"""How their kinds begin."""


@cache
def on_network(folder: Path) -> bool:
    """Whether a folder is on a network disk, where SQLite's write-ahead log is not safe. What a program shows as a disk (fuse)
    counts as one, and what a virtual machine shows of its host's disk: their memory is not shared with all who write there.
    """
    kind = disk_kind(folder)
    return kind.startswith(_NETWORK) and kind != "fuseblk"  # which is a local disk


def disk_kind(folder: Path) -> str:
    """The kind of the disk that a folder is on, as the system calls it; empty where it is not known, as on all but Linux."""
    try:
        lines = MOUNTS.read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in lines:
        fields, _, rest = line.partition(" - ")
        mount = re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), fields.split()[4])  # a space is \040
        if (folder == Path(mount) or Path(mount) in folder.parents) and len(mount) >= len(best):
            best, kind = mount, rest.split()[0]
    return kind


class Database:
    """A database file. Each transaction opens a new connection, which is cheap and safe across threads and forks."""

    def __init__(self, path: Path, schema: str) -> None:
        """`schema` creates what does not exist: it is run on new files, and on those of another version of it."""
        self.path, self.schema = path, schema
        self._version = zlib.crc32(schema.encode()) & 0x7FFFFFFF  # SQLite keeps a signed number

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A connection for reading or for single statements, closed at the end of the context. A file that turns out to be
        damaged is moved aside: the next connection begins a new one.
        """
        file = self._file()
        connection = self._open()
        try:
            yield connection
        except sqlite3.DatabaseError as error:
            connection.close()
            if _is_damage(error):
                self._set_aside(file)
            raise
        finally:
            connection.close()

    def rows(self, query: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[sqlite3.Row]:
        """What a query finds; where the file turns out to be damaged, what it finds in the new one."""
        try:
            return self._rows(query, values)
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
        return self._rows(query, values)

    def _rows(self, query: str, values: Sequence[object] | Mapping[str, object]) -> list[sqlite3.Row]:
        with self.read() as connection:
            return connection.execute(query, values).fetchall()

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A connection within one exclusive transaction, which is rolled back if an exception is raised.

        One that found no room on the disk makes some, in the write-ahead log, for whoever repeats it.
        """
        with self.read() as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            except BaseException as error:
                if connection.in_transaction:  # SQLite may have ended it
                    connection.execute("ROLLBACK")
                if is_disk_full(error):
                    # While another process has the file open, the log only grows. What is copied into the file may be
                    # written over, which takes no room.
                    with suppress(sqlite3.Error):
                        connection.execute("PRAGMA wal_checkpoint")
                raise

    def _open(self) -> sqlite3.Connection:
        file = self._file()
        if file is None:
            private.make_folder(self.path.parent)
            # SQLite gives its log and shared memory the mode of the database.
            os.close(private.opener(str(self.path), os.O_RDWR | os.O_CREAT))
        try:
            connection = sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)
        except sqlite3.OperationalError as error:
            if len(os.fsencode(self.path)) < LONGEST_PATH:
                raise
            # Of a path that is too long for it, SQLite says only that it cannot be opened.
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), str(self.path)) from error
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA synchronous=NORMAL")
            if connection.execute("PRAGMA user_version").fetchone()[0] != self._version:
                if not on_network(self.path.parent):
                    _write_ahead(connection)
                connection.executescript(f"{self.schema}; PRAGMA user_version = {self._version};")
        except sqlite3.DatabaseError as error:
            connection.close()
            if not _is_damage(error):
                raise
            self._set_aside(file)
            return self._open()
        return connection

    def _file(self) -> tuple[int, int] | None:
        """Which file is there, whatever its name; None without one."""
        try:
            about = self.path.stat()
        except FileNotFoundError:
            return None
        return about.st_dev, about.st_ino

    def _set_aside(self, damaged: tuple[int, int] | None) -> None:
        """Move a damaged file aside, unless another process has, and a new one is there. It is only an index and is rebuilt from
        the run folders.
        """
        if self._file() != damaged:
            return
        for suffix in ("", "-wal", "-shm"):
            path = self.path.with_name(self.path.name + suffix)
            if path.exists():
                path.replace(path.with_name(path.name + ".damaged"))


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Give a new file its write-ahead log. SQLite does not wait for other processes that are just doing the same."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(0.01)


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file is to blame. The other errors are of subclasses: locked, full or unreadable, or a mistake here."""
    return type(error) is sqlite3.DatabaseError
