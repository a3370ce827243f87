"""A growing jsonl file as a table: each read continues where the last one ended, so that only new lines cost time."""

import threading
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.reading import row_of
from workbench.store.fitting import fitting

if TYPE_CHECKING:
    from pandas import DataFrame

_NAN = float("nan")
_TAIL = 256
"""The last bytes that were read are compared with the file, to detect that it was replaced."""


class Lines:
    """The lines of a file that grows, each of which is returned once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.end = 0
        self.last = b""

    def new(self) -> tuple[list[bytes], bool]:
        """The lines since the last call, and whether they are all that there are, since the file is gone or was rewritten. An
        incomplete last line is left for the next call.

        Raises:
            OSError: the file exists but cannot be read.
        """
        anew = False
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, self.end - len(self.last)))
                if file.read(len(self.last)) != self.last:
                    anew, self.end, self.last = True, 0, b""
                    file.seek(0)
                content = file.read()
        except FileNotFoundError:
            self.end, self.last = 0, b""
            return [], True
        *lines, rest = content.split(b"\n")
        if row_of(rest) is not None:  # complete, although no line feed ends it
            lines, rest = [*lines, rest], b""
        if lines:
            self.end += len(content) - len(rest)
            self.last = content[: len(content) - len(rest)][-_TAIL:]
        return lines, anew


class Followed:
    """The table of one file, with a row per object and a column per name, nested ones as `outer.inner`. Damaged lines
    are skipped.
    """

    def __init__(self, path: Path, shape: type) -> None:
        """`shape` is the type of a row, see `shapes`."""
        self.path, self.shape = path, shape
        self.lines = Lines(path)
        self.lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self.rows = 0
        self.columns: dict[str, list[object]] = {}
        self.table: DataFrame | None = None

    def read(self) -> "DataFrame":
        """The rows so far, as a new table for each caller. Without a file, or with an empty one, it has no columns.

        An incomplete last line is left for the next call. A file that was rewritten is read from its beginning.

        Raises:
            OSError: the file exists but cannot be read.
        """
        import pandas

        with self.lock:
            self._read_on()
            if self.table is None:
                self.table = pandas.DataFrame(self.columns)
            return self.table.copy()

    def _read_on(self) -> None:
        lines, anew = self.lines.new()
        if anew:
            self._forget()
        if lines:
            self.table = None
        for line in lines:
            if (row := fitting(self.shape, row_of(line))) is not None:
                self._add(_flat(row))

    def _add(self, row: Mapping[str, object]) -> None:
        self.columns |= {name: [_NAN] * self.rows for name in row if name not in self.columns}
        for name, values in self.columns.items():
            values.append(row.get(name, _NAN))
        self.rows += 1


def _flat(row: Mapping[str, object], before: str = "") -> dict[str, object]:
    """The row with nested objects as dotted names.

    >>> _flat({"step": 1, "losses": {"0.infonce_nn": 0.5}})
    {'step': 1, 'losses.0.infonce_nn': 0.5}
    """
    found: dict[str, object] = {}
    for name, value in row.items():
        found |= _flat(value, f"{before}{name}.") if isinstance(value, dict) else {f"{before}{name}": value}
    return found


@lru_cache(32)
def followed(path: Path, shape: type) -> Followed:
    """The `Followed` of a file that all callers in this process share."""
    return Followed(path, shape)
