"""Answers on disk: arrays as .npy, tables as .parquet, the rest as JSON. Nothing that runs code when it is read."""

import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.store.writing import plain, read_json, write_json

if TYPE_CHECKING:
    import numpy

META = "meta.json"


def save(place: Path, value: Any, **about: Any) -> None:
    """Write an answer: an array, a table, plain data, or a dict of these. It appears whole or not at all."""
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=place.parent))
    try:
        parts = value if isinstance(value, dict) and any(_is_large(item) for item in value.values()) else None
        meta: dict[str, Any] = {"time": time.time(), **about, "parts": parts is not None, "items": {}}
        for name, item in (parts if parts is not None else {"value": value}).items():
            meta["items"][name] = _write(draft, name, item)
        write_json(draft / META, meta)
        draft.chmod(0o755)
        try:
            draft.rename(place)
        except OSError:  # somebody else wrote the same answer meanwhile
            if not (place / META).exists():
                raise
            shutil.rmtree(draft, ignore_errors=True)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def has(place: Path) -> bool:
    """Whether the answer is there."""
    return (place / META).exists()


def load(place: Path) -> Any:
    """The answer as it was saved; marks it as used.

    Raises:
        FileNotFoundError: it is not there, or no longer.
    """
    meta = read_json(place / META)
    if meta is None:
        raise FileNotFoundError(place)
    os.utime(place)
    items = {name: _read(place, name, kind) for name, kind in meta["items"].items()}
    return items if meta["parts"] else items["value"]


def _is_large(item: Any) -> bool:
    return type(item).__name__ in ("ndarray", "DataFrame")


def _write(folder: Path, name: str, item: Any) -> dict[str, Any]:
    if type(item).__name__ == "ndarray":
        import numpy

        numpy.save(folder / f"{name}.npy", item, allow_pickle=False)
        return {"kind": "array"}
    if type(item).__name__ == "DataFrame":
        attributes, item = plain(item.attrs), item.copy(deep=False)
        item.attrs = {}
        item.to_parquet(folder / f"{name}.parquet", index=False)
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
    """Remove the answers that were not used for the longest time until `limit_bytes` are kept; bytes removed."""
    found = []
    for place in folder.iterdir() if folder.is_dir() else ():
        if place.is_dir() and (place.name.startswith(".draft-") or has(place)):
            size = sum(path.stat().st_size for path in place.iterdir() if path.is_file())
            old_draft = place.name.startswith(".draft-") and time.time() - place.stat().st_mtime > 3600
            found.append((0.0 if old_draft else place.stat().st_mtime, size, place))
    total = sum(size for _, size, _ in found)
    removed = 0
    for moment, size, place in sorted(found):
        if total - removed <= limit_bytes and moment > 0:
            break
        if place.name.startswith(".draft-") and moment > 0:
            continue
        shutil.rmtree(place, ignore_errors=True)
        removed += size
    return removed
