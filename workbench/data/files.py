"""Text files of other people: encoding, delimiter, header, and everything in them that is not text."""

import codecs
import csv
import io
import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from workbench.core.errors import BadData, OutsideFolders
from workbench.data.columns import KNOWN, is_header

UPLOAD_BYTES = 20_000_000
LINE_BYTES = 8_000_000
LONG_WORDS = 10_000
LONG_CHARACTERS = 50_000
PREVIEW_ROWS = 10
_CHUNK = 1 << 20
_SAMPLE_LINES = 200
_QUOTED_LINES = 100

_MAGIC = (
    (b"PK\x03\x04", "a zip archive (Excel's .xlsx and Word's .docx are such)"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file"),
    (b"%PDF", "a PDF"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x7fELF", "a program"),
)
# What `str.split` does not already treat as white space; joiners and direction marks stay, emoji and Arabic need them.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff]")


@dataclass(frozen=True)
class Dropped:
    """A row that was left out: its line in the file (from 1, the header counts), why, and how it begins."""

    row: int
    reason: str
    text: str = ""


def count_dropped(dropped: Sequence[Dropped], *, examples: int = 5) -> list[dict[str, Any]]:
    """For each reason, most frequent first: how many rows, and the first few of them.

    >>> count_dropped([Dropped(3, "empty"), Dropped(9, "empty")])[0]["count"]
    2
    """
    counts = Counter(one.reason for one in dropped)
    rows: dict[str, list[dict[str, Any]]] = {reason: [] for reason in counts}
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


def resolve_inside(path: str | Path, folders: Sequence[str | Path] | None) -> Path:
    """`path` without links and dots, which must lie in one of `folders`; None allows every folder.

    Raises:
        OutsideFolders: the real place of `path` is in none of them. The message does not tell whether it exists.
    """
    try:
        real = Path(path).expanduser().resolve()
        if folders is None or any(real.is_relative_to(Path(folder).expanduser().resolve()) for folder in folders):
            return real
    except (OSError, RuntimeError, ValueError):  # a loop of links, no home folder, a NUL in the name
        pass
    raise OutsideFolders(
        f"{str(path)!r} may not be read.",
        rule=f"Files are read from: {', '.join(map(str, folders or ())) or 'no folder at all'}.",
        way_out="Move the file there, or start the app with another allowed folder.",
    )


class Cleaner:
    """Makes texts plain: one space for each run of white space, no control characters. Remembers what it met."""

    def __init__(self) -> None:
        self.rows: dict[str, list[int]] = {"control": [], "long": [], "damaged": []}

    def __call__(self, text: str, row: int) -> str:
        """The cleaned text; `row` is where it stood."""
        if _CONTROL.search(text):
            self.rows["control"].append(row)
            text = _CONTROL.sub("", text)
        text = " ".join(text.split())
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
    """A file that was looked at: how it is read, and its first rows. `delimiter` is empty for one text a line."""

    name: str
    source: Path | bytes = field(repr=False)
    size_bytes: int
    encoding: str
    delimiter: str
    header: tuple[str, ...]
    columns: int
    preview: list[list[str]]
    notices: list[str]

    def rows(self, dropped: list[Dropped] | None = None, *, ragged: bool = False) -> Iterator[tuple[int, list[str]]]:
        """Each row after the header with its line number, read as a stream.

        Rows with more or fewer cells than the others are skipped and added to `dropped`; `ragged` yields them too.
        """
        skipped = dropped if dropped is not None else []
        first = bool(self.header)
        with _lines(self.source, self.encoding, self.name) as lines:
            for row, cells in _records(lines, self.delimiter):
                if isinstance(cells, str):
                    skipped.append(Dropped(row, "a quote is opened and not closed", cells[:80]))
                elif first:
                    first = False
                elif self.delimiter and cells in ([""], []):
                    skipped.append(Dropped(row, "empty line"))
                elif not ragged and len(cells) != self.columns:
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
) -> TextFile:
    """Look at a file, or at an upload's bytes: is it text, in which encoding, with which columns.

    Tab-separated files have no quoting; comma and semicolon follow RFC 4180. `lines` says whether each line is one text
    (None: where the name ends in .txt); `header` whether the first row names the columns (None: look). Uploads are
    limited to 20 MB unless `limit_bytes` says otherwise, files only by `limit_bytes`.

    Raises:
        BadData: missing, empty, too big, binary, in an encoding that cannot be told, or with endless lines.
    """
    if not isinstance(source, bytes):
        source = Path(source)
        name = name or source.name
        if not source.is_file():
            raise _missing(source)
    elif limit_bytes is None:
        limit_bytes = UPLOAD_BYTES
    name = name or "The upload"
    try:
        size = len(source) if isinstance(source, bytes) else source.stat().st_size
    except OSError as error:
        raise BadData(f"{name} cannot be read.", got=error.strerror or str(error)) from error
    if limit_bytes is not None and size > limit_bytes:
        raise BadData(
            f"{name} is too big to upload.",
            rule=f"The limit is {limit_bytes / 1e6:g} MB.",
            got=f"{size / 1e6:.1f} MB",
            way_out="Put it into a folder the app may read, and give its path.",
        )
    encoding, notices = _encoding(source, name)
    if lines is None:
        lines = name.casefold().endswith(".txt")
    sample = _sample(source, encoding, name)
    if not any(line.strip() for line in sample):
        raise BadData(f"{name} holds no text.", rule="At least two different texts are needed.")
    delimiter = "" if lines else _delimiter(sample, name)
    records = [cells for _, cells in _records(iter(enumerate(sample, 1)), delimiter) if isinstance(cells, list)]
    records = [cells for cells in records if any(cell.strip() for cell in cells)]
    if not records:
        raise BadData(f"{name} cannot be split into rows.", rule="A quote is opened and never closed.")
    if header is None:
        header = (
            is_header(records[0], records[1:]) if delimiter else not lines and records[0][0].strip().casefold() in KNOWN
        )
    width = len(records[0]) if header else Counter(map(len, records)).most_common(1)[0][0]
    names = tuple(" ".join(cell.split()) for cell in records[0]) if header else ()
    body = records[1:] if header else records
    return TextFile(name, source, size, encoding, delimiter, names, width, body[:PREVIEW_ROWS], notices)


def _missing(path: Path) -> BadData:
    if path.is_dir():
        return BadData(f"{path.name} is a folder.", rule="A single file is needed here.", way_out="Name a file in it.")
    near: list[str] = []
    if path.parent.is_dir():
        from rapidfuzz import process

        names = sorted(other.name for other in path.parent.iterdir())[:10_000]
        near = [match for match, score, _ in process.extract(path.name, names, limit=3) if score >= 80]
    return BadData(
        f"There is no file {path}.", way_out=f"Did you mean {' or '.join(near)}?" if near else "Check the path."
    )


@contextmanager
def _open(source: Path | bytes, name: str) -> Iterator[BinaryIO]:
    try:
        with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as stream:
            yield stream
    except OSError as error:
        raise BadData(f"{name} cannot be read.", got=error.strerror or str(error)) from error


@contextmanager
def _lines(source: Path | bytes, encoding: str, name: str) -> Iterator[Iterator[tuple[int, str]]]:
    with _open(source, name) as stream, io.TextIOWrapper(stream, encoding, "replace", newline=None) as text:
        yield ((row, line.removesuffix("\n")) for row, line in enumerate(text, 1))


def _sample(source: Path | bytes, encoding: str, name: str) -> list[str]:
    sample = []
    with _lines(source, encoding, name) as lines:
        for _, line in lines:
            sample.append(line)
            if len(sample) >= _SAMPLE_LINES:
                break
    return sample


def _encoding(source: Path | bytes, name: str) -> tuple[str, list[str]]:
    """Encoding and notices, after one pass over all bytes.

    UTF-8 with and without mark, UTF-16 with its mark or with the zeros of plain letters, else Windows-1252. A UTF-8
    file with a few broken bytes stays UTF-8: reading all of it as Windows-1252 would damage every accent to save one.
    """
    with _open(source, name) as stream:
        head = stream.read(1 << 16)
    if not head:
        raise BadData(f"{name} is empty.", rule="At least two different texts are needed.")
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            raise BadData(f"{name} is {kind}, not a text file.", way_out="Export it as UTF-8 text: .txt, .tsv or .csv.")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _checked(source, name, "utf-16"), []
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if max(even, odd) > 0.4 * len(head) / 2 and min(even, odd) == 0:
        encoding = "utf-16-be" if even else "utf-16-le"
        return _checked(source, name, encoding), [f"{name} was read as UTF-16, which its bytes suggest."]
    try:
        return _checked(source, name, "utf-8-sig"), []
    except UnicodeDecodeError:
        pass
    broken, beyond = _broken(source, name)
    if beyond >= 10 * broken:
        return "utf-8-sig", [f"{name} is UTF-8 with {broken} damaged character{'' if broken == 1 else 's'}."]
    try:
        return _checked(source, name, "cp1252"), [
            f"{name} is not UTF-8. It was read as Windows-1252 (Western European): check the accents in the preview."
        ]
    except UnicodeDecodeError:
        raise BadData(
            f"{name} is neither UTF-8, UTF-16 nor Windows-1252 text.", way_out="Save it as UTF-8 and choose it again."
        ) from None


def _checked(source: Path | bytes, name: str, encoding: str) -> str:
    """`encoding`, after all of the file was decoded with it."""
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    without_end = 0
    try:
        with _open(source, name) as stream:
            while chunk := stream.read(_CHUNK):
                text = decoder.decode(chunk)
                if "\0" in text:
                    raise BadData(
                        f"{name} is a binary file, not text.",
                        rule="Text holds no zero bytes.",
                        way_out="Export it as UTF-8 text: .txt, .tsv or .csv.",
                    )
                without_end = 0 if "\n" in text or "\r" in text else without_end + len(chunk)
                if without_end > LINE_BYTES:
                    raise BadData(
                        f"{name} has a line of more than {LINE_BYTES // 10**6} MB.", rule="One text a line is expected."
                    )
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        if encoding.startswith("utf-16"):
            raise BadData(f"{name} is damaged: it starts as UTF-16 and is none.", way_out="Save it as UTF-8.") from None
        raise
    return encoding


def _broken(source: Path | bytes, name: str) -> tuple[int, int]:
    """How many places are no UTF-8, and how many characters beyond ASCII are."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    broken = beyond = 0
    with _open(source, name) as stream:
        while chunk := stream.read(_CHUNK):
            text = decoder.decode(chunk)
            if not text.isascii():
                bad = text.count("\ufffd")
                broken += bad
                beyond += len(text) - len(text.encode("ascii", "ignore")) - bad
    return broken, beyond


def _delimiter(sample: list[str], name: str) -> str:
    """Tab, comma or semicolon: one whose first row names known columns, else the one that gives most rows one width.

    Empty where none gives two columns in at least 60 % of the rows: then each line is one text.
    """
    found: list[tuple[float, int, str]] = []
    numbered = [(row, line) for row, line in enumerate(sample, 1) if line.strip()]
    for preference, delimiter in enumerate("\t,;"):
        records = [cells for _, cells in _records(iter(numbered), delimiter) if isinstance(cells, list)]
        if not records:
            continue
        names = sum(1 for cell in records[0] if cell.strip().casefold() in KNOWN)
        if len(records[0]) >= 2 and names >= 2:
            return delimiter
        width, count = Counter(map(len, records)).most_common(1)[0]
        if width >= 2 and count >= 0.6 * len(records):
            found.append((count / len(records), -preference, delimiter))
    if found:
        return max(found)[2]
    # A quoted column of its own is still a table: the quotes are not part of the text.
    quoted = sum(1 for _, line in numbered if line.startswith('"') and line.rstrip().endswith('"'))
    return "," if name.casefold().endswith(".csv") and quoted else ""


def _records(lines: Iterator[tuple[int, str]], delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Rows as cells; a row whose quote is never closed comes as its text, and reading goes on with the next line."""
    if not delimiter:
        yield from ((row, [line]) for row, line in lines)
        return
    if delimiter == "\t":
        yield from ((row, line.split("\t")) for row, line in lines)
        return
    again: deque[tuple[int, str]] = deque()
    while True:
        row, line = again.popleft() if again else next(lines, (0, ""))
        if not row:
            return
        if '"' not in line:
            yield row, line.split(delimiter)
            continue
        later: list[tuple[int, str]] = []
        cells, is_open = _cells(line, delimiter)
        while is_open and len(later) < _QUOTED_LINES:
            following = again.popleft() if again else next(lines, (0, ""))
            if not following[0]:
                break
            later.append(following)
            if '"' in following[1]:
                cells, is_open = _cells("\n".join([line, *(text for _, text in later)]), delimiter)
                if not is_open and cells is None:
                    break
        if cells is None and not (later or is_open):
            cells = next(csv.reader([line], delimiter=delimiter), [])  # a stray quote inside a cell: keep it as it is
        if cells is None:
            again.extendleft(reversed(later))
            yield row, line
        else:
            yield row, cells


def _cells(record: str, delimiter: str) -> tuple[list[str] | None, bool]:
    """Cells by RFC 4180, None where it is broken; and whether a quoted cell is still open at the end."""
    try:
        return next(csv.reader([record], delimiter=delimiter, strict=True)), False
    except csv.Error as error:
        return None, "unexpected end" in str(error)
