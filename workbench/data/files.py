"""Examines and cleans text files from users: delimiter, header, and characters to remove."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import accumulate, dropwhile, islice
from os import scandir
from pathlib import Path

from workbench.core import paths, unicode
from workbench.core.errors import BadData, OutsideFolders
from workbench.data import elements, parquet
from workbench.data.columns import is_header, is_known
from workbench.data.cutting import (
    JSON,
    LABELLED,
    Field,
    closing,
    cut,
    is_bar_table,
    is_labelled,
    is_quoted,
    is_tab_table,
    json_object,
    labels_and_text,
    objects,
    told_delimiter,
    value_of,
)
from workbench.data.dropped import EMPTY_LINE, Dropped
from workbench.data.encodings import has_line_feed, is_array, numbered_lines, opened, told_encoding
from workbench.data.halves import NAMES, column_of_pairs, halves
from workbench.data.lists import lists_among, refuse_lists

UPLOAD_BYTES = 20_000_000
LONG_WORDS = 10_000
LONG_CHARACTERS = 50_000
PREVIEW_ROWS = 10
PARQUET = "Parquet"
"""The value of `delimiter`, and of `encoding`, for files in Parquet."""
XML = "<"
"""The value of `delimiter` for files in XML."""
NAMED = (JSON, LABELLED, PARQUET, XML)
"""The values of `delimiter` for files whose columns have names without a first row that gives them."""
LABEL_AND_TEXT = ("label", "text")
_SAMPLE_LINES = 200
_JSON = re.compile(r"(?i)\.(json|jsonl|ndjson)(\.gz)?$")

# Control characters that `str.split` does not treat as white space. Joiners and direction marks stay: emoji and Arabic
# need them.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff]")


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


class Cleaner:
    """Cleans texts: one space for each run of white space, no control characters. Records the rows it had to change or
    mark.
    """

    def __init__(self) -> None:
        self._rows: dict[str, tuple[int, int]] = {}  # of each kind how many and which first

    def __call__(self, text: str, row: int) -> str:
        """The cleaned text; `row` is its line in the file."""
        if _CONTROL.search(text):
            self._note("control", row)
            text = _CONTROL.sub("", text)
        text = unicode.whole(" ".join(text.split()))
        if len(text) >= 2 * LONG_WORDS - 1 and (text.count(" ") >= LONG_WORDS - 1 or len(text) >= LONG_CHARACTERS):
            self._note("long", row)
        if "\ufffd" in text:
            self._note("damaged", row)
        return text

    def _note(self, kind: str, row: int) -> None:
        count, first = self._rows.get(kind, (0, row))
        self._rows[kind] = count + 1, first

    def notices(self) -> list[str]:
        """Notices for the user about texts that were changed or look wrong, but were kept."""
        templates = {
            "control": "{} contained control characters, which were removed",
            "long": f"{{}} had at least {LONG_WORDS:,} words or {LONG_CHARACTERS:,} characters; they were kept, but a "
            "backbone reads only their beginning",
            "damaged": "{} contained damaged characters (shown as \ufffd); they were kept",
        }
        return [
            f"{template.format('1 text' if count == 1 else f'{count:,} texts')} (first in row {first})."
            for kind, template in templates.items()
            for count, first in [self._rows.get(kind, (0, 0))]
            if count
        ]


@dataclass(frozen=True)
class TextFile:
    """A file after `examine`: how it is read, and its first rows.

    `delimiter` is empty if each line is one text, `JSON` if each line is an object, whose `fields` make the header then,
    `LABELLED` if each is a text behind its labels, `XML` for one in XML, and `PARQUET` for a file in Parquet. `source` is a
    path or the bytes of an upload, `size_bytes` its size as stored. Two sentences in each cell of the column `halved` are two
    columns in `header`, `preview` and `rows`. `quoted`: whether cells between tabs may be in quotes. `filled` is the number of
    cells that most rows have, where the header names more. `lists` are the indices of columns whose cells are lists or objects.
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
    fields: tuple[Field, ...] = ()
    halved: int | None = None
    quoted: bool = False
    filled: int = 0
    lists: frozenset[int] = frozenset()

    def check_single(self, places: Iterable[int], way: str = "") -> None:
        """Check that each cell of the columns `places` is one text, one label or one score; `way` as for `refuse_lists`.

        Raises:
            BadData: they are lists in one of these columns.
        """
        refuse_lists(self.name, self.header, self.lists, [*places], way)

    def rows(self, dropped: list[Dropped] | None = None, *, needs: int = 0) -> Iterator[tuple[int, list[str]]]:
        """Yields (line number, cells) for each row after the header, reading the file as a stream.

        Rows with more or fewer cells than the others are skipped and added to `dropped`. With `needs`, only the first
        `needs` cells matter: a tab-separated row may then have extra cells at its end and also fewer, without a header or
        if most rows do.
        """
        skipped = dropped if dropped is not None else []
        if self.halved is None:
            yield from self._rows(skipped, self.columns, needs)
            return
        for row, cells in self._rows(skipped, self.columns - 1, 0):
            if both := _halved(cells, self.halved):
                yield row, both
            else:
                skipped.append(Dropped(row, "a cell without two sentences", cells[self.halved][:80]))

    def _rows(self, skipped: list[Dropped], columns: int, needs: int) -> Iterator[tuple[int, list[str]]]:
        if self.delimiter == PARQUET:
            yield from parquet.rows(self.source, self.name)
            return
        if self.delimiter == XML:
            yield from elements.rows(self.source, self.name)
            return
        first = bool(self.header) and self.delimiter not in NAMED
        named = (self.filled or columns) if self.header else 0
        least = max(named, needs) if needs and self.delimiter == "\t" else 0
        broken = "not a JSON object" if self.delimiter == JSON else "a quote is opened but not closed"
        with numbered_lines(self.source, self.encoding, self.name, line_feeds=self.line_feeds) as lines:
            for row, cells in cut(lines, self.delimiter, self.fields, quoted=self.quoted):
                if isinstance(cells, str):
                    skipped.append(Dropped(row, broken, cells[:80]))
                elif first and any(cell.strip() for cell in cells):
                    first = False
                elif self.delimiter and cells in ([""], []):
                    skipped.append(Dropped(row, EMPTY_LINE))
                elif len(cells) < least if least else len(cells) != columns:
                    reason = f"{len(cells)} columns instead of {columns}"
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
    """Examine a file or the bytes of an upload: check that it is text, and detect its encoding and columns.

    Commas and semicolons follow RFC 4180, and so do tabs where quotes are evidently not part of the texts (see `is_quoted`).
    Lines may be JSON objects, or the file one array of them. `lines`: whether each line is one text (None: yes if the name
    ends in .txt, unless the file is a tab-separated table). `header`: whether the first row names the columns (None: detect
    it). Uploads are limited to `limit_bytes`, 20 MB by default; files have no limit unless it is given. `line_feeds`: in a
    file with line feeds, a carriage return does not end a line. A gzip archive is unpacked, and Parquet and XML are read; for
    uploads the unpacked size counts.

    Raises:
        BadData: the file is missing, empty, too big or binary, has a line longer than `LINE_BYTES`, or its encoding
            cannot be identified.
    """
    if not isinstance(source, bytes):
        source = Path(source)
        name = name or unicode.whole(source.name)  # which may not be UTF-8
        if not (there := paths.existing(source)) or not there.is_file():
            raise missing_file(source)
    elif limit_bytes is None:
        limit_bytes = UPLOAD_BYTES
    name = name or "The upload"
    try:
        size = len(source) if isinstance(source, bytes) else source.stat().st_size
    except OSError as error:
        raise BadData(f"{name} cannot be read.", reason=error.strerror or str(error)) from error
    in_parquet = parquet.is_parquet(source, name)
    if limit_bytes is not None and (size > limit_bytes or _is_over(source, name, limit_bytes, in_parquet)):
        raise BadData(
            f"{name} is too big to upload.",
            rule=f"The limit is {limit_bytes / 1e6:g} MB.",
            got=f"{size / 1e6:.1f} MB" if size > limit_bytes else "more, once it is unpacked",
            way_out="Put it into a folder that the app may read, and enter its path.",
        )
    if in_parquet:
        fields = parquet.fields_of(source, name)
        body = [cells for _, cells in islice(parquet.rows(source, name), _SAMPLE_LINES)]
        if not body:
            raise BadData(f"{name} holds no rows.", rule="At least two different texts are needed.")
        lists = parquet.lists_of(source, name)
        names, preview = tuple(fields), body[:PREVIEW_ROWS]
        file = TextFile(name, source, size, PARQUET, PARQUET, names, len(names), preview, [], lists=lists)
        return _with_halves(file, body)
    if not lines and elements.is_xml(source, name):
        names = tuple(elements.names_of(source, name))
        body = [cells for _, cells in islice(elements.rows(source, name), _SAMPLE_LINES)]
        read = f"{name}: each element is a row, with the columns {', '.join(names)}."
        file = TextFile(name, source, size, "XML", XML, names, len(names), body[:PREVIEW_ROWS], [read])
        return _with_halves(file, body)
    encoding, notices = told_encoding(source, name)
    line_feeds = line_feeds and has_line_feed(source, encoding, name)
    array = is_array(source, name)
    with numbered_lines(source, encoding, name, line_feeds=line_feeds) as numbered:
        begun = (line for _, line in numbered)
        sample = list(islice(begun, _SAMPLE_LINES))
        if not any(line.strip() for line in sample):
            sample = list(islice(dropwhile(lambda line: not line.strip(), begun), _SAMPLE_LINES))
        rest = [] if array else closing(sample, begun)
    if not sample:
        raise BadData(f"{name} holds no text.", rule="At least two different texts are needed.")
    if array:
        lines = False
    if lines is None and name.casefold().endswith((".txt", ".txt.gz")):
        told = "tab-separated columns" if is_tab_table(sample) else "columns between ||" if is_bar_table(sample) else ""
        lines = not told and not is_labelled(sample)
        if told:
            notices.append(f"{name} was read as a table: its lines are {told}.")
    fields = {} if lines else objects(sample)
    labelled = not lines and not fields and is_labelled(sample)
    if labelled:
        notices.append(f"{name}: each line is a text behind its label, as in fastText's files.")
    if fields and next(line for line in sample if line.strip()).lstrip().startswith("["):
        notices.append(f"{name}: each line is a list of texts: {', '.join(fields)}.")
    if lines:
        delimiter = ""
    elif fields:
        delimiter = JSON
    elif labelled:
        delimiter = LABELLED
    elif _JSON.search(name):
        raise _no_table(name)
    else:
        delimiter, notice = told_delimiter(sample, name, header=header, rest=rest)
        notices += [notice] if notice else []
    quoted = delimiter == "\t" and is_quoted([*sample, *rest])
    if quoted:
        notices.append(f"{name}: cells in quotes were read without them, as spreadsheets write them.")
    whole = [*sample, *rest] if quoted or delimiter in (",", ";") else sample
    split = cut(iter(enumerate(whole, 1)), delimiter, tuple(fields.values()), quoted=quoted)
    records = [cells for _, cells in split if isinstance(cells, list) and any(cell.strip() for cell in cells)]
    if fields and len(records) < 2:
        raise _no_table(name)
    if not records:
        raise BadData(f"{name} cannot be split into rows.", rule="A quote is opened and never closed.")
    if header is None:
        header = is_header(records[0], records[1:]) if delimiter else not lines and is_known(records[0][0])
    if fields or labelled:
        names, body = tuple(fields) or LABEL_AND_TEXT, records
    else:
        names = tuple(" ".join(cell.split()) for cell in records[0]) if header else ()
        body = records[1:] if header else records
    width = len(names) or Counter(map(len, records)).most_common(1)[0][0]
    most = Counter(map(len, body)).most_common(1)[0][0] if body else width
    file = TextFile(
        name,
        source,
        size,
        encoding,
        delimiter,
        names,
        width,
        body[:PREVIEW_ROWS],
        notices,
        line_feeds=line_feeds,
        fields=tuple(fields.values()),
        quoted=quoted,
        filled=most if most < width else 0,
        lists=_lists(sample, fields, labelled),
    )
    return _with_halves(file, body)


def _lists(sample: Sequence[str], fields: Mapping[str, Field], labelled: bool) -> frozenset[int]:
    """Indices of the columns whose cells are lists: of JSON, or the labels where a line has several."""
    if labelled:
        return frozenset([0] if any(" " in labels_and_text(line)[0] for line in sample) else [])
    objects_ = (json_object(line) for line in sample if fields)
    return lists_among([[value_of(one, field) for field in fields.values()] for one in objects_ if one])


def _with_halves(file: TextFile, sample: Sequence[list[str]]) -> TextFile:
    """The file with the two sentences in each cell of a column as two columns, if one is such a column."""
    at = column_of_pairs(file.header, sample)
    if at is None:
        return file
    notice = f"{file.name}: each cell of column {file.header[at]} holds two sentences, {NAMES[0]} and {NAMES[1]}."
    return replace(
        file,
        header=(*file.header[:at], *NAMES, *file.header[at + 1 :]),
        columns=file.columns + 1,
        preview=[both for cells in file.preview if (both := _halved(cells, at))],
        notices=[*file.notices, notice],
        halved=at,
        lists=frozenset(place + (place > at) for place in file.lists),
    )


def _halved(cells: list[str], at: int) -> list[str]:
    """A row with one cell as two; none if it does not hold two sentences."""
    both = halves(cells[at]) if at < len(cells) else []
    return [*cells[:at], *both, *cells[at + 1 :]] if both else []


def _is_over(source: Path | bytes, name: str, limit_bytes: int, in_parquet: bool) -> bool:
    """Whether an upload holds more than the limit once it is unpacked."""
    if not isinstance(source, bytes):
        return False
    if not in_parquet:
        with opened(source, name) as stream:
            return len(stream.read(limit_bytes + 1)) > limit_bytes
    if parquet.size_bytes(source, name) > limit_bytes:
        return True
    unpacked = accumulate(sum(len(cell) + 1 for cell in cells) for _, cells in parquet.rows(source, name))
    return any(size > limit_bytes for size in unpacked)


def _no_table(name: str) -> BadData:
    return BadData(
        f"{name} is JSON, but not a table of at least two rows.",
        rule="JSON is read as lines with one object or a list of two or three texts each, or as one array of objects.",
        way_out="Save it that way, as pandas' to_json(orient='records') does.",
    )


def missing_file(path: Path) -> BadData:
    """The error for a path that is not a file, with the nearest names next to it."""
    paths.check(path)
    if paths.existing(path):
        return BadData(f"{path.name} is a folder.", rule="A single file is needed here.", way_out="Name a file in it.")
    near: list[str] = []
    with suppress(OSError):  # a folder that is missing or not readable has no names to suggest
        from rapidfuzz import process

        with scandir(path.parent) as entries:
            names = sorted(entry.name for entry in islice(entries, 10_000) if entry.is_file())
        near = [match for match, score, _ in process.extract(path.name, names, limit=3) if score >= 80]
    return BadData(
        f"There is no file {str(path)!r}.", way_out=f"Did you mean {' or '.join(near)}?" if near else "Check the path."
    )
