"""Answers on disk: arrays and tables as Arrow, the rest as JSON. Nothing that runs code when it is read."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.private import make_folder
from workbench.core.reading import read_object
from workbench.core.writing import plain, whole_file, write_json

if TYPE_CHECKING:
    pass

META = "meta.json"
EXPORTS = "exports"
"""The folder, among the answers, of the archives of runs that were made for a download."""
YOUNG_SECONDS = 3600.0
"""So long a draft may still be written to, and an archive still be fetched."""
_DRAFT = ".draft-"


def save(folder: Path, value: Any, **about: Any) -> None:
    """Write an answer: an array, a table, plain data, or a dataclass of these. It appears whole or not at all."""

    def write(draft: Path) -> dict[str, Any]:
        parts = _parts(value)
        items = {name: _write(draft, name, item) for name, item in (parts or {"value": value}).items()}
        return {"time": time.time(), **about, "parts": parts is not None, "items": items}

    fill(folder, write)


def _parts(value: Any) -> dict[str, Any] | None:
    """What lies in files of its own: the fields of a dataclass, or the entries of a dictionary that has arrays or tables."""
    if is_dataclass(value):
        return {item.name: getattr(value, item.name) for item in fields(value)}
    return value if isinstance(value, dict) and any(map(_is_large, value.values())) else None


def _is_large(item: Any) -> bool:
    return type(item).__name__ in ("ndarray", "DataFrame")


def fill(folder: Path, write: Callable[[Path], dict[str, Any]]) -> None:
    """Let `write` fill a new folder and say what is to be known of it, then put it in place: whole or not at all.

    Where somebody else wrote the same meanwhile, theirs stays.
    """
    make_folder(folder.parent)
    draft = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=folder.parent))
    try:
        write_json(draft / META, write(draft))
        try:
            draft.rename(folder)
        except OSError:  # something is there
            if not has(folder):  # and it is not an answer: a part of one that a crash left
                shutil.rmtree(folder)
                draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def has(folder: Path) -> bool:
    """Whether the answer is there."""
    return (folder / META).exists()


def load(folder: Path, kind: type | None = None) -> Any:
    """The answer as it was saved, as the dataclass `kind` if it was one; marks it as used.

    One that cannot be read is removed, so that it is computed again.

    Raises:
        FileNotFoundError: it is not there, or no longer.
    """
    try:
        meta = read_object(folder / META)
        items = {name: _read(folder, name, kind) for name, kind in meta["items"].items()}
        found = (kind or dict)(**items) if meta["parts"] else items["value"]
    except Exception as error:  # whatever damaged files set off in numpy and pyarrow
        shutil.rmtree(folder, ignore_errors=True)
        raise FileNotFoundError(f"{folder} is not there, or was damaged: {type(error).__name__}: {error}") from None
    with suppress(OSError):
        os.utime(folder)
    return found


def _write(folder: Path, name: str, item: Any) -> dict[str, Any]:
    if type(item).__name__ == "ndarray":
        import numpy
        import pyarrow

        if item.dtype.hasobject:
            raise TypeError(f"{name} holds objects: only arrays of numbers are answers.")
        plain_item = numpy.ascontiguousarray(item)  # Arrow knows no tensor of truth values
        numbers = plain_item.view(numpy.uint8) if item.dtype == bool else plain_item
        with whole_file(folder / f"{name}.arrow") as file:
            pyarrow.ipc.write_tensor(pyarrow.Tensor.from_numpy(numbers), pyarrow.PythonFile(file, "w"))
        return {"kind": "array", "dtype": item.dtype.str}
    if type(item).__name__ == "DataFrame":
        attributes, item = plain(item.attrs), item.copy(deep=False)
        item.attrs = {}
        with whole_file(folder / f"{name}.arrow") as file:
            item.reset_index(drop=True).to_feather(file)
        return {"kind": "table", "attrs": attributes}
    return {"kind": "plain", "value": plain(item)}


def _read(folder: Path, name: str, kind: dict[str, Any]) -> Any:
    if kind["kind"] == "array":
        import pyarrow

        with pyarrow.OSFile(str(folder / f"{name}.arrow")) as file:
            return pyarrow.ipc.read_tensor(file).to_numpy().view(kind["dtype"])
    if kind["kind"] == "table":
        import pandas

        table = pandas.read_feather(folder / f"{name}.arrow")
        table.attrs = kind["attrs"]
        return table
    return kind["value"]


def prune(folder: Path, limit_bytes: int) -> int:
    """Remove the answers that were not used for the longest time until `limit_bytes` are kept; bytes removed.

    Those one folder down count too: what a pretraining prepared once. So do archives, but for those of the last hour, and
    they go first: one is made again in a moment. Drafts go when nobody has written to them for an hour.
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
    """Answers, archives and drafts in a folder, and in the folders in it."""
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not place.is_dir():
            if folder.name == EXPORTS:
                yield place
        elif place.name.startswith(_DRAFT) or has(place):
            yield place
        elif deeper:
            yield from _places(place, deeper=False)


def _touched(entry: Path) -> tuple[float, int]:
    """When a file or folder was last used or written to, and its bytes. What goes meanwhile is left out."""
    times, size = [0.0], 0
    for path in (entry, *entry.glob("*")):
        with suppress(OSError):
            about = path.stat()
            times.append(about.st_mtime)
            size += about.st_size if path.is_file() else 0
    return max(times), size
