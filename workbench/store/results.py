"""Answers on disk: arrays and tables as Arrow, the rest as JSON. Reading them never executes code."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from workbench.core.private import make_folder
from workbench.core.reading import read_object
from workbench.core.writing import plain, whole_file, write_json

if TYPE_CHECKING:
    import numpy as np
    from pandas import DataFrame

META = "meta.json"
EXPORTS = "exports"
"""The folder, next to the answers, with archives of runs made for download."""
YOUNG_SECONDS = 3600.0
"""Drafts and archives younger than this are kept: they may still be written or downloaded."""
_DRAFT = ".draft-"


class _Item(TypedDict, total=False):
    """A part of an answer: a description of its file, or the value itself."""

    kind: str
    dtype: str
    attrs: dict[Hashable, object]
    value: object


class _Meta(TypedDict):
    """The part of META that `load` needs."""

    parts: bool
    items: dict[str, _Item]


_META = TypeAdapter(_Meta)


def save(folder: Path, value: object, **about: object) -> None:
    """Write an answer: an array, a table, plain data, or a dataclass of these; `about` is stored with it.

    The answer appears complete or not at all.

    Raises:
        TypeError: an array contains objects.
    """

    def write(draft: Path) -> dict[str, object]:
        parts = _parts(value)
        items = {name: _write(draft, name, item) for name, item in (parts or {"value": value}).items()}
        return {"time": time.time(), **about, "parts": parts is not None, "items": items}

    fill(folder, write)


def _parts(value: object) -> dict[str, object] | None:
    """The fields of a dataclass, or the entries of a dictionary with arrays or tables; None for a value stored as a
    whole.
    """
    if is_dataclass(value):
        return {item.name: getattr(value, item.name) for item in fields(value)}
    return value if isinstance(value, dict) and any(map(_is_large, value.values())) else None


def _is_large(item: object) -> bool:
    return _is_array(item) or _is_table(item)


def _is_array(item: object) -> "TypeGuard[np.ndarray]":
    return type(item).__name__ == "ndarray"


def _is_table(item: object) -> "TypeGuard[DataFrame]":
    return type(item).__name__ == "DataFrame"


def fill(folder: Path, write: Callable[[Path], Mapping[str, object]]) -> None:
    """Call `write` with a new folder, store the description it returns, and move the folder into place as a whole.

    If another process has written the same answer meanwhile, that one is kept. Prefer `save` for values in memory.
    """
    make_folder(folder.parent)
    draft = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=folder.parent))
    try:
        write_json(draft / META, write(draft))
        try:
            draft.rename(folder)
        except OSError:  # the folder exists
            if not has(folder):  # but it is only part of an answer, left by a crash
                shutil.rmtree(folder)
                draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def has(folder: Path) -> bool:
    """Whether the answer exists."""
    return (folder / META).exists()


def load(folder: Path, kind: type | None = None) -> Any:
    """The answer as it was saved (as the dataclass `kind` if it was one). Also marks it as recently used.

    An answer that cannot be read is removed, so that it is computed again.

    Raises:
        FileNotFoundError: it does not exist, or was damaged.
    """
    try:
        meta = _META.validate_python(read_object(folder / META))
        items = {name: _read(folder, name, item) for name, item in meta["items"].items()}
        found = (kind or dict)(**items) if meta["parts"] else items["value"]
    except Exception as error:  # numpy and pyarrow raise all kinds of errors for damaged files
        shutil.rmtree(folder, ignore_errors=True)
        raise FileNotFoundError(f"{folder} is not there, or was damaged: {type(error).__name__}: {error}") from None
    with suppress(OSError):
        os.utime(folder)
    return found


def _write(folder: Path, name: str, item: object) -> dict[str, object]:
    if _is_array(item):
        import numpy
        import pyarrow

        if item.dtype.hasobject:
            raise TypeError(f"{name} holds objects: only arrays of numbers are answers.")
        plain_item = numpy.ascontiguousarray(item)  # Arrow has no tensors of booleans
        numbers = plain_item.view(numpy.uint8) if item.dtype == bool else plain_item
        with whole_file(folder / f"{name}.arrow") as file:
            pyarrow.ipc.write_tensor(pyarrow.Tensor.from_numpy(numbers), pyarrow.PythonFile(file, "w"))
        return {"kind": "array", "dtype": item.dtype.str}
    if _is_table(item):
        attributes, table = plain(item.attrs), item.copy(deep=False)
        table.attrs = {}
        with whole_file(folder / f"{name}.arrow") as file:
            table.reset_index(drop=True).to_feather(file)
        return {"kind": "table", "attrs": attributes}
    return {"kind": "plain", "value": plain(item)}


def _read(folder: Path, name: str, item: _Item) -> object:
    if item["kind"] == "array":
        import pyarrow

        with pyarrow.OSFile(str(folder / f"{name}.arrow")) as file:
            return pyarrow.ipc.read_tensor(file).to_numpy().view(item["dtype"])
    if item["kind"] == "table":
        import pandas

        table = pandas.read_feather(folder / f"{name}.arrow")
        table.attrs = item["attrs"]
        return table
    return item["value"]


def prune(folder: Path, limit_bytes: int) -> int:
    """Remove the least recently used answers until at most `limit_bytes` are left; returns the bytes removed.

    Answers one folder down, such as prepared pretraining corpora, count as well. So do archives older than an hour;
    they are removed first, since they are quickly made again. Drafts are removed if they were not written to for an
    hour.
    """
    found = []
    removed = 0
    for place in _places(folder):
        touched, size = _touched(place)
        young = time.time() - touched <= YOUNG_SECONDS
        if not place.name.startswith("."):
            if place.is_dir() or not young:
                found.append((place.is_dir(), touched, size, place))
        elif not young:
            _remove(place)
            removed += size
    total = sum(size for _, _, size, _ in found)
    for _, _, size, place in sorted(found):
        if total <= limit_bytes:
            break
        _remove(place)
        total -= size
        removed += size
    return removed


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink() if path.is_file() else shutil.rmtree(path, ignore_errors=True)


def _places(folder: Path, deeper: bool = True) -> Iterator[Path]:
    """Answers, archives and drafts in a folder and, with `deeper`, in its subfolders."""
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not place.is_dir():
            if folder.name == EXPORTS:
                yield place
        elif place.name.startswith(_DRAFT) or has(place):
            yield place
        elif deeper:
            yield from _places(place, deeper=False)


def _touched(entry: Path) -> tuple[float, int]:
    """When a file or folder was last used or written to (seconds since 1970), and its bytes. Files that vanish are
    ignored.
    """
    times, size = [0.0], 0
    for path in (entry, *entry.glob("*")):
        with suppress(OSError):
            about = path.stat()
            times.append(about.st_mtime)
            size += about.st_size if path.is_file() else 0
    return max(times), size
