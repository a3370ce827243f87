"""What a user's reference names: a file, a part of one, a folder of tasks; and whether it may be read."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from os import scandir
from pathlib import Path

from workbench.core import paths
from workbench.core.errors import BadData, OutsideFolders

_MOST_NAMED = 3
"""Files of a folder that a message names."""
_PART = re.compile(r"(?i)\.(parquet|csv|tsv|jsonl?|txt)(\.gz)?$")
"""Files that the library `datasets` reads as parts of one data set."""


def resolve_inside(path: str | Path, folders: Sequence[str | Path] | None) -> Path:
    """`path` with links and dots resolved, provided that it is inside one of `folders`.

    Nothing inside them may have a name that begins with a dot, since such files and folders often hold keys and tokens.
    `folders` of None allows every path.

    Raises:
        OutsideFolders: the resolved path is not allowed. The message does not reveal whether it exists.
        BadSetting: it is an address.
    """
    paths.refuse_address(path)
    allowed = [Path(folder).expanduser().resolve() for folder in folders or ()]
    try:
        real = Path(path).expanduser().resolve()
        below = [real.relative_to(folder).parts for folder in allowed if real.is_relative_to(folder)]
        if folders is None or any(not any(part.startswith(".") for part in parts) for parts in below):
            return real
    except (OSError, RuntimeError, ValueError):  # a loop of links, no home folder, a NUL in the name
        pass
    # A folder inside another one of the list need not be named.
    named = [str(one) for one in allowed if not any(one != other and one.is_relative_to(other) for other in allowed)]
    raise OutsideFolders(
        f"{str(path)!r} may not be read.",
        rule=f"Files are read from: {', '.join(named) or 'no folder at all'}; not where a name in them begins with a dot.",
        way_out="Move the file there, upload it, or start the app for other folders: python3 start.py --folders FOLDERS (or "
        "workbench app --folders), or with WORKBENCH_FOLDERS=FOLDERS in its environment.",
    )


def task_folder(folder: str | Path, folders: Sequence[str | Path] | None, example: str, *, of_files: str = "") -> Path:
    """`folder` as a path, checked to be a folder inside `folders`.

    Raises:
        BadData: it is not a folder; `example` is a file that one should hold, and `of_files` says what a file is good for.
        OutsideFolders: it is outside `folders`.
    """
    base = resolve_inside(folder, folders)
    paths.check(base)
    if base.is_dir():
        return base
    there = paths.existing(base) is not None
    what = (
        f"{str(folder)!r} is a file."
        if there
        else f"There is no {'file or ' if base.suffix else ''}folder {str(folder)!r}."
    )
    raise BadData(what, rule=of_files if there else "", way_out=f"Name the folder that holds {example}.")


def split_source(source: str | Path, folders: Sequence[str | Path] | None = None) -> tuple[Path, str | None]:
    """The file that a source names, and the part after its `#` (None without one).

    Raises:
        OutsideFolders: the path is outside `folders`.
        BadSetting: it cannot be a path.
    """
    named = str(source)
    path, behind = resolve_inside(named, folders), None
    if "#" in named and not paths.existing(path):
        before, behind = named.rsplit("#", 1)
        path = resolve_inside(before, folders)
    paths.check(path)
    return path, behind


def split_task(ref: str) -> tuple[str, str, str] | None:
    """Task, split and folder of `TASK:SPLIT@FOLDER`; None for any other reference.

    >>> split_task("stsb:dev@data/a@b"), split_task("pairs.tsv#dev"), split_task("hf:a@b")
    (('stsb', 'dev', 'data/a@b'), None, None)
    """
    named = re.fullmatch(r"(?!hf:|demo:)(\w{2,}):(\w+)@(.+)", ref)
    return (named[1], named[2], named[3]) if named else None


def missing_file(path: Path) -> BadData:
    """The error for a path that is not a regular file, with the nearest names next to it."""
    paths.check(path)
    if paths.existing(path) and not path.is_dir():
        return BadData(f"{path.name} is not a regular file.", way_out="Copy what it gives into a file, and name that.")
    if paths.existing(path):
        there = _files_in(path)
        more = f" and {len(there) - _MOST_NAMED} more" if len(there) > _MOST_NAMED else ""
        named = f": {', '.join(there[:_MOST_NAMED])}{more}" if there else ""
        whole = f" To read the files in it as one data set, write hf:{path}" if _is_data_set(path) else ""
        return BadData(
            f"{path.name} is a folder.",
            rule="A single file is needed here.",
            way_out=f"Name a file in it{named}.{whole}",
        )
    from rapidfuzz import process

    near = [match for match, score, _ in process.extract(path.name, _files_in(path.parent), limit=3) if score >= 80]
    return BadData(
        f"There is no file {str(path)!r}.", way_out=f"Did you mean {' or '.join(near)}?" if near else "Check the path."
    )


def _is_data_set(folder: Path) -> bool:
    """Whether several files of one kind in a folder, or in its folder `data`, can be named as one by `hf:`."""
    found = filter(None, map(_PART.search, [*_files_in(folder), *_files_in(folder / "data")]))
    most = Counter(part[1].casefold() for part in found).most_common(1)
    return bool(most) and most[0][1] > 1 and ":" not in str(folder.relative_to(folder.anchor))


def _files_in(folder: Path) -> list[str]:
    """The names of the files in a folder, as many as can be suggested; none of one that is missing or not readable, and none that
    begins with a dot.
    """
    try:
        with scandir(folder) as entries:
            first = islice(entries, 10_000)
            return sorted(entry.name for entry in first if entry.is_file() and not entry.name.startswith("."))
    except OSError:
        return []
