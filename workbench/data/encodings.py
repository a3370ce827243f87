"""From bytes to lines of text: checks that a file is text, and detects its encoding and line ends.

A JSON document is read as if each of its objects stood on a line, see `workbench.data.json_arrays`.
"""

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from workbench.core.errors import BadData
from workbench.data.json_arrays import CHUNK, elements_of, is_document
from workbench.data.json_columns import is_of_columns, rows_of
from workbench.data.scripts import ENCODINGS, SAMPLE_BYTES, is_latin, told_script

if TYPE_CHECKING:
    from typing_extensions import Buffer

LINE_BYTES = 8_000_000
UNPACKED_BYTES = 20_000_000
UNPACKED_TIMES = 100
"""A gzip archive may unpack to UNPACKED_BYTES or to UNPACKED_TIMES its own size, whichever is more. Text usually
shrinks to a third, rarely to a twentieth.
"""
_GZIP = b"\x1f\x8b"
POINTER = b"version https://git-lfs"
"""How a file begins that stands for one that Git LFS has not fetched."""
_XML = b"<?xml"
_MAGIC = (
    (b"PK\x03\x04", "a zip archive (as Excel's .xlsx and Word's .docx are)"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file"),
    (b"%PDF", "a PDF"),
    (_GZIP, "a gzip archive inside another"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"ARROW1", "an Arrow file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x7fELF", "a program"),
    (_XML, "an XML file"),
    (POINTER, "a pointer of Git LFS"),
)
_WAYS = {
    _XML: "Save its texts as a table, .tsv, .csv or .jsonl: a row for each text or pair, and columns with names.",
    POINTER: "Get the file that it points to: git lfs pull.",
}


class _Bounded(io.RawIOBase):
    """The contents of a gzip archive; reading more than `most` bytes raises BadData."""

    def __init__(self, archive: gzip.GzipFile, name: str, most: int) -> None:
        super().__init__()
        self._archive, self._name, self._most, self._seen = archive, name, most, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "Buffer") -> int:
        room = memoryview(buffer)
        chunk = self._archive.read(len(room))
        self._seen += len(chunk)
        if self._seen > self._most:
            raise BadData(
                f"{self._name} unpacks to more than {self._most / 1e6:,.0f} MB, which no text does.",
                rule=f"A gzip archive may hold {UNPACKED_TIMES} times its own size, or {UNPACKED_BYTES / 1e6:g} MB.",
                way_out="Unpack it and use the file inside.",
            )
        room[: len(chunk)] = chunk
        return len(chunk)


@contextmanager
def opened(source: Path | bytes, name: str) -> Iterator[BinaryIO]:
    """The bytes of a file as a stream. A gzip archive, whatever its name, is unpacked.

    Raises:
        BadData: the file cannot be read, or an archive is damaged or unpacks to too much (see `UNPACKED_TIMES`).
    """
    try:
        with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as stream:
            packed = stream.read(len(_GZIP)) == _GZIP
            most = max(UNPACKED_BYTES, UNPACKED_TIMES * stream.seek(0, io.SEEK_END)) if packed else 0
            stream.seek(0)
            if not packed:
                yield stream
                return
            with gzip.GzipFile(fileobj=stream) as archive:
                yield io.BufferedReader(_Bounded(archive, name, most), CHUNK)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadData(
            f"{name} is a damaged gzip archive.", reason=str(error), way_out="Download or compress it again."
        ) from error
    except OSError as error:
        raise BadData(f"{name} cannot be read.", reason=error.strerror or str(error)) from error


@contextmanager
def numbered_lines(
    source: Path | bytes, encoding: str, name: str, *, line_feeds: bool = False
) -> Iterator[Iterator[tuple[int, str]]]:
    """The lines with their numbers, from 1, or the objects of a JSON document. `line_feeds`: only a line feed ends a line, a lone
    carriage return does not.
    """
    ends = "\n" if line_feeds else None
    head = beginning(source, name)
    document, of_columns = is_document(head), is_of_columns(head, len(head) < CHUNK)
    with opened(source, name) as stream, io.TextIOWrapper(stream, encoding, "replace", newline=ends) as text:
        lines = ((row, line.removesuffix("\n").rstrip("\r")) for row, line in enumerate(text, 1))
        yield rows_of(text, name) if of_columns else elements_of(text, name, LINE_BYTES) if document else lines


def beginning(source: Path | bytes, name: str) -> bytes:
    """The first bytes of a file, for `is_document`."""
    with opened(source, name) as stream:
        return stream.read(CHUNK)


def has_line_feed(source: Path | bytes, encoding: str, name: str) -> bool:
    """Whether the file contains a line feed. Old Mac files contain none: their lines end with carriage returns."""
    with opened(source, name) as stream, io.TextIOWrapper(stream, encoding, "replace", newline="") as text:
        return any("\n" in chunk for chunk in iter(lambda: text.read(CHUNK), ""))


def told_encoding(source: Path | bytes, name: str) -> tuple[str, list[str]]:
    """The encoding (a Python codec name) and notices for the user, after decoding the whole file.

    UTF-8 with or without a byte order mark; UTF-16 with its mark, or recognised by the zero bytes of plain letters;
    an encoding of another script, see `workbench.data.scripts`; otherwise Windows-1252, otherwise Latin-1. A UTF-8 file
    with a few invalid bytes stays UTF-8, since reading all of it as Windows-1252 would damage every accent to save one.

    Raises:
        BadData: the file is empty, binary, has a line longer than `LINE_BYTES`, or its encoding cannot be identified.
    """
    with opened(source, name) as stream:
        head = stream.read(1 << 16)
    if not head:
        raise BadData(f"{name} is empty.", rule="At least two different texts are needed.")
    for magic, kind in _MAGIC:
        if head.removeprefix(codecs.BOM_UTF8).startswith(magic):
            way = _WAYS.get(magic, "Export it as UTF-8 text: .txt, .tsv or .csv.")
            raise BadData(f"{name} is {kind}, not a text file.", way_out=way)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _checked(source, name, "utf-16"), []
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if max(even, odd) > 0.4 * len(head) / 2 and min(even, odd) == 0:
        encoding = "utf-16-be" if even else "utf-16-le"
        return _checked(source, name, encoding), [f"{name} was read as UTF-16, as its bytes suggest."]
    try:
        return _checked(source, name, "utf-8-sig"), []
    except UnicodeDecodeError:
        pass
    broken, beyond, first = _broken(source, name)
    if beyond > broken:  # accents written in Windows-1252 are hardly ever valid UTF-8
        s = "" if broken == 1 else "s"
        where = f"in line {first}" if broken == 1 else f"the first in line {first}"
        return "utf-8-sig", [f"{name} is UTF-8 with {broken:,} damaged character{s}, {where}."]
    check = "check the accents in the preview."
    sample = _beyond_ascii(source, name)
    if script := told_script(sample):
        try:
            return _checked(source, name, script.codec), [
                f"{name} is not UTF-8. It was read as {script.name}: check the texts in the preview."
            ]
        except UnicodeDecodeError:
            raise BadData(
                f"{name} begins as {script.name}, but is damaged, or not in it throughout.",
                way_out="Save it as UTF-8 and select it again.",
            ) from None
    if not is_latin(sample):
        raise BadData(
            f"{name} is not UTF-8, and its encoding cannot be determined: its letters are not Latin ones.",
            rule=f"Besides UTF-8 and UTF-16, these can be recognised: {', '.join(one.name for one in ENCODINGS)}.",
            way_out="Save it as UTF-8 and select it again.",
        )
    try:
        return _checked(source, name, "cp1252"), [
            f"{name} is not UTF-8. It was read as Windows-1252 (Western European): {check}"
        ]
    except UnicodeDecodeError:
        pass
    if _are_letters(source, name):
        return _checked(source, name, "latin-1"), [
            f"{name} is neither UTF-8 nor Windows-1252. It was read as Latin-1 (Western European): {check}"
        ]
    raise BadData(
        f"{name} is neither UTF-8, UTF-16, Windows-1252 nor Latin-1 text.",
        way_out="Save it as UTF-8 and select it again.",
    )


def _checked(source: Path | bytes, name: str, encoding: str) -> str:
    """Returns `encoding` once the whole file has been decoded with it.

    Raises:
        BadData: a zero byte, a line longer than `LINE_BYTES`, or damaged UTF-16.
        UnicodeDecodeError: the file is not in this encoding.
    """
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    lines = not is_document(beginning(source, name))
    without_end = 0
    try:
        with opened(source, name) as stream:
            while chunk := stream.read(CHUNK):
                text = decoder.decode(chunk)
                if "\0" in text:
                    raise BadData(
                        f"{name} is a binary file, not text.",
                        rule="Text contains no zero bytes.",
                        way_out="Export it as UTF-8 text: .txt, .tsv or .csv.",
                    )
                without_end = 0 if "\n" in text or "\r" in text else without_end + len(chunk)
                if lines and without_end > LINE_BYTES:
                    raise BadData(
                        f"{name} has a line of more than {LINE_BYTES // 10**6} MB.",
                        rule="One text per line is expected.",
                    )
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        if encoding.startswith("utf-16"):
            raise BadData(f"{name} is damaged: it starts as UTF-16, but is not.", way_out="Save it as UTF-8.") from None
        raise
    return encoding


def _beyond_ascii(source: Path | bytes, name: str) -> bytes:
    """The first lines that are not plain ASCII; only the last character may be cut."""
    sample = bytearray()
    with opened(source, name) as stream:
        while len(sample) < SAMPLE_BYTES and (line := stream.readline(SAMPLE_BYTES)):
            sample += b"" if line.isascii() else line
    return bytes(sample)


def _broken(source: Path | bytes, name: str) -> tuple[int, int, int]:
    """Number of invalid UTF-8 sequences, number of valid characters beyond ASCII, and the line of the first invalid
    one.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    broken = beyond = first = 0
    line = 1
    with opened(source, name) as stream:
        while chunk := stream.read(CHUNK):
            text = decoder.decode(chunk)
            if not text.isascii():
                bad = text.count("\ufffd")
                if bad and not broken:
                    first = line + text[: text.index("\ufffd")].count("\n")
                broken += bad
                beyond += len(text) - len(text.encode("ascii", "ignore")) - bad
            line += text.count("\n")
    return broken, beyond, first


def _are_letters(source: Path | bytes, name: str) -> bool:
    """Whether at least half of the bytes beyond ASCII are letters or signs in Latin-1 rather than control characters.

    In East Asian multi-byte encodings, every second byte may be a control character of Latin-1.
    """
    control = beyond = 0
    with opened(source, name) as stream:
        while chunk := stream.read(CHUNK):
            control += len(chunk) - len(chunk.translate(None, bytes(range(0x80, 0xA0))))
            beyond += len(chunk) - len(chunk.translate(None, bytes(range(0x80, 0x100))))
    return control <= 0.5 * beyond
