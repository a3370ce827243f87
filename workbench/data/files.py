"""Text files of other people: delimiter, header, and everything in them that is not text."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypedDict

from workbench.core import paths, unicode
from workbench.core.errors import BadData, OutsideFolders
from workbench.data.columns import KNOWN, is_header
from workbench.data.cutting import JSON, cut, is_tab_table, objects, told_delimiter
from workbench.data.encodings import has_line_feed, numbered_lines, opened, told_encoding

UPLOAD_BYTES = 20_000_000
LONG_WORDS = 10_000
LONG_CHARACTERS = 50_000
PREVIEW_ROWS = 10
EMPTY_LINE = "empty line"
_SAMPLE_LINES = 200

# What `str.split` does not already treat as white space; joiners and direction marks stay, emoji and Arabic need them.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff]")


@dataclass(frozen=True)
class Dropped:
    """A row that was left out: its line in the file (from 1, the header counts), why, and how it begins."""

    row: int
    reason: str
    text: str = ""


class DroppedRow(TypedDict):
    """Where a row that was left out stood, and how it begins."""

    row: int
    text: str


class DroppedRows(TypedDict):
    """The rows that were left out for one reason."""

    reason: str
    count: int
    examples: list[DroppedRow]


def count_dropped(dropped: Sequence[Dropped], *, examples: int = 5) -> list[DroppedRows]:
    """For each reason, most frequent first: how many rows, and the first few of them.

    >>> count_dropped([Dropped(3, "empty"), Dropped(9, "empty")])[0]["count"]
    2
    """
    counts = Counter(one.reason for one in dropped)
    rows: dict[str, list[DroppedRow]] = {reason: [] for reason in counts}
    for one in dropped:
        if len(rows[one.reason]) < examples:
            rows[one.reason].append({"row": one.row, "text": one.text})
    return [{"reason": reason, "count": count, "examples": rows[reason]} for reason, count in counts.most_common()]


def why_dropped(dropped: Sequence[Dropped]) -> str:
    """What an error says of the rows that were left out; empty where none was.

    >>> why_dropped([Dropped(3, "empty"), Dropped(9, "empty")])
    'rows left out for empty: 2'
    """
    why = "; ".join(f"{one['reason']}: {one['count']}" for one in count_dropped(dropped))
    return f"rows left out for {why}" if why else ""


def left_out(name: str, dropped: Sequence[Dropped]) -> list[str]:
    """What a notice says of the rows that were left out of a set; an empty line was no row.

    >>> left_out("a.tsv", [Dropped(3, "no score"), Dropped(9, "no score")])
    ['a.tsv: 2 rows were left out (no score: 2, first in row 3).']
    """
    rows = [one for one in dropped if one.reason != EMPTY_LINE]
    if not rows:
        return []
    why = [
        f"{one['reason']}: {one['count']:,}, first in row {one['examples'][0]['row']}" for one in count_dropped(rows)
    ]
    more = f"; {len(why) - 4} more reasons" if len(why) > 4 else ""
    said = "1 row was" if len(rows) == 1 else f"{len(rows):,} rows were"
    return [f"{name}: {said} left out ({'; '.join(why[:4])}{more})."]


def resolve_inside(path: str | Path, folders: Sequence[str | Path] | None) -> Path:
    """`path` without links and dots, which must lie in one of `folders`, and below it in no folder or file whose name begins
    with a dot: keys and tokens are kept in such. None allows every folder.

    Raises:
        OutsideFolders: the real place of `path` is in none of them. The message does not tell whether it exists.
    """
    allowed = [Path(folder).expanduser().resolve() for folder in folders or ()]
    try:
        real = Path(path).expanduser().resolve()
        below = [real.relative_to(folder).parts for folder in allowed if real.is_relative_to(folder)]
        if folders is None or any(not any(part.startswith(".") for part in parts) for parts in below):
            return real
    except (OSError, RuntimeError, ValueError):  # a loop of links, no home folder, a NUL in the name
        pass
    # A folder inside another one of the list says nothing new.
    named = [str(one) for one in allowed if not any(one != other and one.is_relative_to(other) for other in allowed)]
    raise OutsideFolders(
        f"{str(path)!r} may not be read.",
        rule=f"Files are read from: {', '.join(named) or 'no folder at all'}; not where a name in them begins with a dot.",
        way_out="Move the file there, or start the app for other folders: python3 start.py --folders FOLDERS (or workbench app).",
    )


def split_source(source: str | Path, folders: Sequence[str | Path] | None = None) -> tuple[Path, str | None]:
    """The file that a source names, and what stands behind its `#`.

    Raises:
        OutsideFolders: a path outside `folders`.
        BadSetting: it can be no path.
    """
    named = str(source)
    path, behind = resolve_inside(named, folders), None
    if "#" in named and not paths.existing(path):
        before, behind = named.rsplit("#", 1)
        path = resolve_inside(before, folders)
    paths.check(path)
    return path, behind


def split_task(ref: str) -> tuple[str, str, str] | None:
    """Task, split and folder of `TASK:SPLIT@FOLDER`; None for what is none.

    >>> split_task("stsb:dev@data/a@b"), split_task("pairs.tsv#dev"), split_task("hf:a@b")
    (('stsb', 'dev', 'data/a@b'), None, None)
    """
    named = re.fullmatch(r"(?!hf:|demo:)(\w{2,}):(\w+)@(.+)", ref)
    return (named[1], named[2], named[3]) if named else None


class Cleaner:
    """Makes texts plain: one space for each run of white space, no control characters. Remembers what it met."""

    def __init__(self) -> None:
        self.rows: dict[str, list[int]] = {"control": [], "long": [], "damaged": []}

    def __call__(self, text: str, row: int) -> str:
        """The cleaned text; `row` is where it stood."""
        if _CONTROL.search(text):
            self.rows["control"].append(row)
            text = _CONTROL.sub("", text)
        text = unicode.whole(" ".join(text.split()))
        if len(text) >= 2 * LONG_WORDS - 1 and (text.count(" ") >= LONG_WORDS - 1 or len(text) >= LONG_CHARACTERS):
            self.rows["long"].append(row)
        if "\ufffd" in text:
            self.rows["damaged"].append(row)
        return text

    def notices(self) -> list[str]:
        """What a user should know about texts that were kept."""
        said = {
            "control": "{} held control characters, which were removed",
            "long": f"{{}} had {LONG_WORDS:,} words or {LONG_CHARACTERS:,} characters and more; they were kept, and a "
            "backbone reads only their beginning",
            "damaged": "{} held damaged characters (shown as \ufffd); they were kept",
        }
        return [
            f"{said[kind].format('1 text' if len(rows) == 1 else f'{len(rows):,} texts')} (first in row {rows[0]})."
            for kind, rows in self.rows.items()
            if rows
        ]


@dataclass(frozen=True)
class TextFile:
    """A file that was looked at: how it is read, and its first rows.

    `delimiter` is empty for one text a line, and JSON where each line is an object whose names are the header.
    """

    name: str
    source: Path | bytes = field(repr=False)
    size_bytes: int
    encoding: str
    delimiter: str
    header: tuple[str, ...]
    columns: int
    preview: list[list[str]]
    notices: list[str]
    line_feeds: bool = False

    def rows(self, dropped: list[Dropped] | None = None, *, needs: int = 0) -> Iterator[tuple[int, list[str]]]:
        """Each row after the header with its line number, read as a stream.

        Rows with more or fewer cells than the others are skipped and added to `dropped`. Between tabs a row may have
        further cells at its end where only its first `needs` cells matter; without a header it may also lack others.
        """
        skipped = dropped if dropped is not None else []
        first = bool(self.header) and self.delimiter != JSON
        least = (self.columns if self.header else needs) if needs and self.delimiter == "\t" else 0
        broken = "no JSON object" if self.delimiter == JSON else "a quote is opened and not closed"
        with numbered_lines(self.source, self.encoding, self.name, line_feeds=self.line_feeds) as lines:
            for row, cells in cut(lines, self.delimiter, self.header):
                if isinstance(cells, str):
                    skipped.append(Dropped(row, broken, cells[:80]))
                elif first:
                    first = False
                elif self.delimiter and cells in ([""], []):
                    skipped.append(Dropped(row, EMPTY_LINE))
                elif len(cells) < least if least else len(cells) != self.columns:
                    reason = f"{len(cells)} columns instead of {self.columns}"
                    skipped.append(Dropped(row, reason, self.delimiter.join(cells)[:80]))
                else:
                    yield row, cells


def examine(
    source: str | Path | bytes,
    *,
    name: str = "",
    lines: bool | None = None,
    header: bool | None = None,
    limit_bytes: int | None = None,
    line_feeds: bool = False,
) -> TextFile:
    """Look at a file, or at an upload's bytes: is it text, in which encoding, with which columns.

    Tab-separated files have no quoting; comma and semicolon follow RFC 4180; lines may be JSON objects. `lines` says
    whether each line is one text (None: where the name ends in .txt, unless it is a table between tabs); `header` whether
    the first row names the columns (None: look). Uploads are limited to 20 MB unless `limit_bytes` says otherwise, files
    only by `limit_bytes`. `line_feeds`: a carriage return within a line ends none, if line feeds do. A gzip archive is
    looked at as what it holds; of an upload that counts for the limit.

    Raises:
        BadData: missing, empty, too big, binary, in an encoding that cannot be identified, or with endless lines.
    """
    if not isinstance(source, bytes):
        source = Path(source)
        name = name or source.name
        if not (there := paths.existing(source)) or not there.is_file():
            raise _missing(source)
    elif limit_bytes is None:
        limit_bytes = UPLOAD_BYTES
    name = name or "The upload"
    try:
        size = len(source) if isinstance(source, bytes) else source.stat().st_size
    except OSError as error:
        raise BadData(f"{name} cannot be read.", reason=error.strerror or str(error)) from error
    unpacked = size
    if limit_bytes is not None and size <= limit_bytes and isinstance(source, bytes):
        with opened(source, name) as stream:
            unpacked = len(stream.read(limit_bytes + 1))
    if limit_bytes is not None and unpacked > limit_bytes:
        raise BadData(
            f"{name} is too big to upload.",
            rule=f"The limit is {limit_bytes / 1e6:g} MB.",
            got=f"{size / 1e6:.1f} MB" if size > limit_bytes else "more, once it is unpacked",
            way_out="Put it into a folder the app may read, and give its path.",
        )
    encoding, notices = told_encoding(source, name)
    line_feeds = line_feeds and has_line_feed(source, encoding, name)
    with numbered_lines(source, encoding, name, line_feeds=line_feeds) as begun:
        sample = [line for _, line in islice(begun, _SAMPLE_LINES)]
    if not any(line.strip() for line in sample):
        raise BadData(f"{name} holds no text.", rule="At least two different texts are needed.")
    names: tuple[str, ...] = ()
    if lines is None and name.casefold().endswith((".txt", ".txt.gz")):
        lines = not is_tab_table(sample)
        if not lines:
            notices.append(f"{name} was read as a table: its lines have columns between tabs.")
    if lines:
        delimiter = ""
    elif found := objects(sample):
        delimiter, names = JSON, tuple(found)
    else:
        delimiter, notice = told_delimiter(sample, name, header=header)
        notices += [notice] if notice else []
    records = [cells for _, cells in cut(iter(enumerate(sample, 1)), delimiter, names) if isinstance(cells, list)]
    records = [cells for cells in records if any(cell.strip() for cell in cells)]
    if not records:
        raise BadData(f"{name} cannot be split into rows.", rule="A quote is opened and never closed.")
    if names:
        width, body = len(names), records
        return TextFile(
            name, source, size, encoding, JSON, names, width, body[:PREVIEW_ROWS], notices, line_feeds=line_feeds
        )
    if header is None:
        header = (
            is_header(records[0], records[1:]) if delimiter else not lines and records[0][0].strip().casefold() in KNOWN
        )
    width = len(records[0]) if header else Counter(map(len, records)).most_common(1)[0][0]
    names = tuple(" ".join(cell.split()) for cell in records[0]) if header else ()
    body = records[1:] if header else records
    return TextFile(
        name, source, size, encoding, delimiter, names, width, body[:PREVIEW_ROWS], notices, line_feeds=line_feeds
    )


def _missing(path: Path) -> BadData:
    paths.check(path)
    if paths.existing(path):
        return BadData(f"{path.name} is a folder.", rule="A single file is needed here.", way_out="Name a file in it.")
    near: list[str] = []
    with suppress(OSError):  # a folder that is not there, or may not be looked into, has no names to suggest
        from rapidfuzz import process

        names = sorted(other.name for other in path.parent.iterdir())[:10_000]
        near = [match for match, score, _ in process.extract(path.name, names, limit=3) if score >= 80]
    return BadData(
        f"There is no file {str(path)!r}.", way_out=f"Did you mean {' or '.join(near)}?" if near else "Check the path."
    )
