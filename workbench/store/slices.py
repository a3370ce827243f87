"""Slices: selections of pairs that were given a name, one file each in `.slices` of the runs folder."""

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path

from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import BadData, BadSetting, unknown
from workbench.core.json_values import Json
from workbench.core.private import make_folder
from workbench.core.reading import read_object
from workbench.core.reserved import is_reserved
from workbench.core.writing import write_json
from workbench.data.pair_sets import PairSet
from workbench.store.names import RunsFolder, word

LONGEST_NAME = 60
MOST = 500
"""Slices of one runs folder."""


@dataclass(frozen=True)
class Slice:
    """Pairs of a set, by their rows in it."""

    name: str
    pairs: str
    """The set, as it was named."""
    content: str
    """A hash of the whole set: the rows mean nothing in another one."""
    rows: tuple[int, ...]
    """Ascending."""
    made: float
    """Seconds since 1970."""


def content_of(pairs: PairSet) -> str:
    """A hash of the sentences and gold scores of a pair set, in order."""
    digest = blake2b(digest_size=12)
    for text in pairs.texts():
        encoded = text.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(4, "little") + encoded)
    digest.update(pairs.gold.astype("<f8").tobytes())
    return digest.hexdigest()


def all_slices(folder: RunsFolder) -> list[Slice]:
    """All slices, by name; damaged files are left out."""
    files = sorted(folder.slices.glob("*.json")) if folder.slices.is_dir() else []
    slices = [kept for file in files if (kept := _read(file)) is not None]
    return sorted(slices, key=lambda kept: kept.name.casefold())


def find(folder: RunsFolder, name: str) -> Slice:
    """The slice of that name; case is ignored.

    Raises:
        UnknownName: there is none; the message has the nearest names.
    """
    kept = _read(_file(folder, name)) if 0 < len(_trimmed(name)) <= LONGEST_NAME else None
    if kept is None:
        raise unknown("slice", name, [other.name for other in all_slices(folder)])
    return kept


def save(folder: RunsFolder, name: str, reference: str, pairs: PairSet, rows: Iterable[int]) -> Slice:
    """Keep rows of a pair set under a name.

    Raises:
        BadSetting: the name is empty, too long, reserved by Windows, or taken, or there are too many slices.
        BadData: no rows, or rows that the set does not have.
        Refused: the disk is full.
    """
    chosen = tuple(sorted({int(row) for row in rows}))
    if not chosen:
        raise BadData("A slice needs pairs.", got="0", way_out="Select some.")
    if chosen[0] < 0 or chosen[-1] >= len(pairs):
        raise BadData(
            f"{pairs.name} has no such rows.",
            rule=f"They are numbered from 0 to {len(pairs) - 1}.",
            got=f"{chosen[0]} to {chosen[-1]}",
        )
    made = Slice(_checked(folder, name), reference, content_of(pairs), chosen, time.time())
    _write(folder, made)
    return made


def rename(folder: RunsFolder, name: str, new: str) -> Slice:
    """Give a slice another name.

    Raises:
        UnknownName: there is no slice of that name.
        BadSetting: the new name is empty, too long, reserved by Windows, or taken.
    """
    kept = find(folder, name)
    before = _file(folder, name)
    if _trimmed(new).casefold() == kept.name.casefold():
        renamed = replace(kept, name=_trimmed(new))
    else:
        renamed = replace(kept, name=_checked(folder, new))
    _write(folder, renamed)
    if _file(folder, new) != before:
        with disk_errors_explained():
            before.unlink(missing_ok=True)
    return renamed


def delete(folder: RunsFolder, name: str) -> None:
    """Remove a slice.

    Raises:
        UnknownName: there is no slice of that name.
    """
    find(folder, name)
    with disk_errors_explained():
        _file(folder, name).unlink(missing_ok=True)


def rows_in(kept: Slice, pairs: PairSet) -> list[int]:
    """The rows of a slice in the pair set that it names.

    Raises:
        BadData: the set has changed since the slice was made.
    """
    if content_of(pairs) != kept.content:
        raise BadData(
            f"The pairs of {kept.name} are not those of {pairs.name} any more.",
            rule="A slice belongs to the pairs that it was made from, sentences and scores alike.",
            way_out="Select them again, and delete this slice.",
        )
    return list(kept.rows)


def _trimmed(name: str) -> str:
    return " ".join(name.split())


def _checked(folder: RunsFolder, name: str) -> str:
    trimmed = _trimmed(name)
    if not 0 < len(trimmed) <= LONGEST_NAME or not trimmed.isprintable():
        raise BadSetting("A slice needs a name.", rule=f"It has 1 to {LONGEST_NAME} characters.", got=name[:80])
    if is_reserved(_file(folder, trimmed).name):
        raise BadSetting(
            f"A slice cannot be called {trimmed}.", rule="Windows has no file for it.", way_out="Choose another name."
        )
    if _file(folder, trimmed).exists():
        raise BadSetting(
            f"There is already a slice {trimmed}.",
            rule="Every slice has its own name.",
            way_out="Choose another, or delete that slice.",
        )
    if len(all_slices(folder)) >= MOST:
        raise BadSetting(f"There are {MOST} slices.", rule="No more are kept.", way_out="Delete some.")
    return trimmed


def _file(folder: RunsFolder, name: str) -> Path:
    """Its file: a name in another script, or with punctuation, does not share the file of a plain one."""
    folded = _trimmed(name).casefold()
    plain = word(folded)
    if plain != folded:
        plain += "-" + blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return folder.slices / f"{plain}.json"


def _read(file: Path) -> Slice | None:
    """A slice from its file; None if it is missing or damaged."""
    match read_object(file):
        case {"name": str(name), "pairs": str(pairs), "content": str(content), "rows": list(rows), "made": made}:
            if rows and all(isinstance(row, int) and row >= 0 for row in rows) and isinstance(made, int | float):
                return Slice(name, pairs, content, tuple(int(row) for row in rows), float(made))  # type: ignore[arg-type]
    return None


def _write(folder: RunsFolder, kept: Slice) -> None:
    written: dict[str, Json] = {**asdict(kept), "rows": list(kept.rows)}
    with disk_errors_explained():
        make_folder(folder.slices)
        write_json(_file(folder, kept.name), written)
