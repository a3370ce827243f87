"""A jsonl file that grows, as a table: read on from where it was left, so that looking again costs only what is new."""

import threading
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.reading import row_of
from workbench.store.shapes import fitting

if TYPE_CHECKING:
    from pandas import DataFrame

_NAN = float("nan")
_TAIL = 256
"""Bytes before the place to read on from, by which the file is known again."""


class Followed:
    """The table of one file: a column a name, nested objects as `outer.inner`, a row an object; damaged lines are skipped."""

    def __init__(self, path: Path, shape: type) -> None:
        """`shape` is the type of a row, see `shapes`."""
        self.path, self.shape = path, shape
        self.lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self.end = self.rows = 0
        self.last = b""
        self.columns: dict[str, list[object]] = {}
        self.table: DataFrame | None = None

    def read(self) -> "DataFrame":
        """The rows so far; a table of its own for whoever asks. Without a file, or with an empty one, it has no columns.

        What is not a whole line yet is left for the next time. A file that is no longer the one that was read, since
        somebody wrote it anew, is read from its beginning.
        """
        import pandas

        with self.lock:
            self._read_on()
            if self.table is None:
                self.table = pandas.DataFrame(self.columns)
            return self.table.copy()

    def _read_on(self) -> None:
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, self.end - len(self.last)))
                if file.read(len(self.last)) != self.last:
                    self._forget()
                    file.seek(0)
                content = file.read()
        except FileNotFoundError:
            self._forget()
            return
        *lines, rest = content.split(b"\n")
        if row_of(rest) is not None:  # whole, though nothing ends it
            lines, rest = [*lines, rest], b""
        if not lines:
            return
        self.end += len(content) - len(rest)
        self.last = content[: len(content) - len(rest)][-_TAIL:]
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
    """Objects in objects under dotted names.

    >>> _flat({"step": 1, "losses": {"0.infonce_nn": 0.5}})
    {'step': 1, 'losses.0.infonce_nn': 0.5}
    """
    found: dict[str, object] = {}
    for name, value in row.items():
        found |= _flat(value, f"{before}{name}.") if isinstance(value, dict) else {f"{before}{name}": value}
    return found


@lru_cache(32)
def followed(path: Path, shape: type) -> Followed:
    """The one that this process keeps of a file."""
    return Followed(path, shape)
