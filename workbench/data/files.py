"""Examines text files from users: form, encoding, delimiter and header."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, dropwhile, islice
from pathlib import Path

from workbench.core import paths, unicode
from workbench.core.errors import BadData
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
from workbench.data.encodings import beginning, has_line_feed, numbered_lines, opened, told_encoding
from workbench.data.halves import NAMES, column_of_pairs, halves
from workbench.data.json_arrays import is_document, is_of_splits
from workbench.data.json_columns import no_rows
from workbench.data.lists import lists_among, refuse_lists
from workbench.data.sources import missing_file

UPLOAD_BYTES = 20_000_000
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
                elif cells == [] or (cells == [""] and self.delimiter not in ("", JSON)):
                    skipped.append(Dropped(row, EMPTY_LINE))
                elif len(cells) < least if least else len(cells) != columns:
                    reason = f"{len(cells)} columns instead of {columns}"
                    skipped.append(Dropped(row, reason, self.delimiter.join(cells)[:80]))
                else:
                    yield row, cells


def _broken_line(sample: Sequence[str], name: str) -> BadData | None:
    """The message about the first line that is no JSON, in a file whose first line is an object; None of another file."""
    filled = [(row, line) for row, line in enumerate(sample, 1) if line.strip()]
    objects_ = [json_object(line) for _, line in filled]
    if objects_[0] is None or None not in objects_:
        return None
    row, line = filled[objects_.index(None)]
    return BadData(
        f"Line {row:,} of {name} is not a JSON object.",
        got=line.strip()[:60],
        way_out="Correct the line, or remove it.",
    )


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
    Lines may be JSON objects, or the file one array of them, or one object with its rows: see `json_arrays` and `json_columns`.
    `lines`: whether each line is one text (None: yes if the name ends in .txt, unless the file is a tab-separated table).
    `header`: whether the first row names the columns (None: detect it). Uploads are limited to `limit_bytes`, 20 MB by default;
    files have no limit unless it is given. `line_feeds`: in a file with line feeds, a carriage return does not end a line. A gzip
    archive is unpacked, and Parquet and XML are read; for uploads the unpacked size counts.

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
    head = beginning(source, name)
    document = is_document(head)
    with numbered_lines(source, encoding, name, line_feeds=line_feeds) as numbered:
        begun = (line for _, line in numbered)
        sample = list(islice(begun, _SAMPLE_LINES))
        if not any(line.strip() for line in sample):
            sample = list(islice(dropwhile(lambda line: not line.strip(), begun), _SAMPLE_LINES))
        rest = [] if document else closing(sample, begun)
    if not sample:
        raise BadData(f"{name} holds no text.", rule="At least two different texts are needed.")
    if document:
        lines = False
    if is_of_splits(head):
        notices.append(f"{name}: each array is a split, and a list of two texts in it is a text and its label.")
    elif document and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        notices.append(f"{name}: one JSON object was read as a table, by its columns or by the list of its rows.")
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
        raise _broken_line(sample, name) or no_rows(name)
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
        raise no_rows(name)
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
