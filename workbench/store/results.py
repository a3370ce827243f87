"""Answers on disk: arrays as .npy, tables as .parquet, the rest as JSON. Nothing that runs code when it is read."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.private import make_folder
from workbench.core.reading import read_object
from workbench.core.writing import plain, whole_file, write_json

if TYPE_CHECKING:
    import numpy

META = "meta.json"
EXPORTS = "exports"
"""The folder, among the answers, of the archives of runs that were made for a download."""
YOUNG_SECONDS = 3600.0
"""So long a draft may still be written to, and an archive still be fetched."""
_DRAFT = ".draft-"


def save(place: Path, value: Any, **about: Any) -> None:
    """Write an answer: an array, a table, plain data, or a dict of these. It appears whole or not at all."""

    def write(draft: Path) -> dict[str, Any]:
        parts = value if isinstance(value, dict) and any(_is_large(item) for item in value.values()) else None
        items = {name: _write(draft, name, item) for name, item in (parts or {"value": value}).items()}
        return {"time": time.time(), **about, "parts": parts is not None, "items": items}

    fill(place, write)


def fill(place: Path, write: Callable[[Path], dict[str, Any]]) -> None:
    """Let `write` fill a new folder and say what is to be known of it, then put it in place: whole or not at all.

    Where somebody else wrote the same meanwhile, theirs stays.
    """
    make_folder(place.parent)
    draft = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=place.parent))
    try:
        write_json(draft / META, write(draft))
        try:
            draft.rename(place)
        except OSError:  # something is there
            if not has(place):  # and it is no answer: a part of one that a crash left
                shutil.rmtree(place)
                draft.rename(place)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def has(place: Path) -> bool:
    """Whether the answer is there."""
    return (place / META).exists()


def load(place: Path) -> Any:
    """The answer as it was saved; marks it as used. One that cannot be read is removed, so that it is computed again.

    Raises:
        FileNotFoundError: it is not there, or no longer.
    """
    try:
        meta = read_object(place / META)
        items = {name: _read(place, name, kind) for name, kind in meta["items"].items()}
        found = items if meta["parts"] else items["value"]
    except Exception as error:  # whatever damaged files set off in numpy and pyarrow
        shutil.rmtree(place, ignore_errors=True)
        raise FileNotFoundError(f"{place} is not there, or was damaged: {type(error).__name__}: {error}") from None
    with suppress(OSError):
        os.utime(place)
    return found


def _is_large(item: Any) -> bool:
    return type(item).__name__ in ("ndarray", "DataFrame")


def _write(folder: Path, name: str, item: Any) -> dict[str, Any]:
    if type(item).__name__ == "ndarray":
        import numpy

        with whole_file(folder / f"{name}.npy") as file:
            numpy.save(file, item, allow_pickle=False)
        return {"kind": "array"}
    if type(item).__name__ == "DataFrame":
        attributes, item = plain(item.attrs), item.copy(deep=False)
        item.attrs = {}
        with whole_file(folder / f"{name}.parquet") as file:
            item.to_parquet(file, index=False)
        return {"kind": "table", "attrs": attributes}
    return {"kind": "plain", "value": plain(item)}


def _read(folder: Path, name: str, kind: dict[str, Any]) -> Any:
    if kind["kind"] == "array":
        return array(folder / f"{name}.npy")
    if kind["kind"] == "table":
        import pandas

        table = pandas.read_parquet(folder / f"{name}.parquet")
        table.attrs = kind["attrs"]
        return table
    return kind["value"]


def array(path: Path) -> "numpy.ndarray":
    """An array of numbers; anything that would need pickle is refused by numpy."""
    import numpy

    return numpy.load(path, allow_pickle=False)


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


def _remove(place: Path) -> None:
    with suppress(OSError):
        place.unlink() if place.is_file() else shutil.rmtree(place, ignore_errors=True)


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


def _touched(place: Path) -> tuple[float, int]:
    """When a file or folder was last used or written to, and its bytes. What goes meanwhile is left out."""
    times, size = [0.0], 0
    for path in (place, *place.glob("*")):
        with suppress(OSError):
            about = path.stat()
            times.append(about.st_mtime)
            size += about.st_size if path.is_file() else 0
    return max(times), size
