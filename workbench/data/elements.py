"""Reads tables in XML: each element below the root is a row, its attributes and the elements in it are the columns."""

import codecs
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from xml.parsers import expat

from workbench.core.errors import BadData
from workbench.data.encodings import LINE_BYTES, opened

MAGIC = b"<?xml"
_BOM = b"\xef\xbb\xbf"
_CHUNK = 1 << 16
_SAMPLE = 200
_MOST_COLUMNS = 100
_DECLARED = re.compile(rb"""[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)""")
_READ_BY_EXPAT = ("utf-8", "utf-16", "iso8859-1", "ascii")
"""Encodings, as Python calls them, that expat reads itself. Of the others it knows only those of one byte for each character."""
_ROW, _CELL = 2, 3
"""How deep rows and their cells are below each other; the root is at 1."""


def is_xml(source: Path | bytes, name: str) -> bool:
    """Whether a file says that it is XML.

    Raises:
        BadData: it cannot be read.
    """
    with opened(source, name) as stream:
        return stream.read(len(_BOM + MAGIC)).removeprefix(_BOM).startswith(MAGIC)


def names_of(source: Path | bytes, name: str) -> list[str]:
    """The columns of the first rows, in order of appearance.

    Raises:
        BadData: see `elements`; or there are fewer than two rows, or too many columns.
    """
    sample = [row for _, row in islice(elements(source, name), _SAMPLE)]
    names = [*dict.fromkeys(column for row in sample for column in row)]
    if len(sample) < 2 or not 0 < len(names) <= _MOST_COLUMNS:
        raise BadData(
            f"{name} is XML, but not a table of at least two rows.",
            rule=f"Each element below the outermost is a row, with up to {_MOST_COLUMNS} attributes and elements in it.",
            way_out="Save its texts as a table, .tsv, .csv or .jsonl: a row for each text or pair, and columns with names.",
        )
    return names


def rows(source: Path | bytes, name: str) -> Iterator[tuple[int, list[str]]]:
    """The number of each row, from 1, and its cells in the order of `names_of`; a missing one is an empty text.

    Raises:
        BadData: see `names_of`.
    """
    names = names_of(source, name)
    for number, row in elements(source, name):
        yield number, [row.get(column, "") for column in names]


def elements(source: Path | bytes, name: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The number of each element below the root, from 1, with its attributes and the texts of the elements in it, by their names.

    The file is read as a stream. No entities are declared or fetched: a file with a document type is refused.

    Raises:
        BadData: damaged, with a document type, an element with two of one name in it, or one longer than `LINE_BYTES`.
    """
    made: list[dict[str, str]] = []
    row: dict[str, str] = {}
    texts: list[str] = []
    depth = size = 0

    def refused(what: str, rule: str) -> BadData:
        return BadData(f"{name}: {what}.", rule=rule, way_out="Save its texts as a table, .tsv, .csv or .jsonl.")

    def document_type(*_: object) -> None:
        raise refused("it declares a document type", "XML is read without document types and entities.")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, row, size
        depth += 1
        if depth == _ROW:
            row, size = dict(attributes), sum(map(len, attributes.values()))
        elif depth == _CELL:
            if tag in row:
                raise refused(f"an element holds {tag} more than once", "Each row has one cell in a column.")
            row[tag] = ""
            texts.clear()

    def data(text: str) -> None:
        nonlocal size
        size += len(text)
        if size > LINE_BYTES:
            raise refused(f"an element is longer than {LINE_BYTES // 10**6} MB", "An element is a row.")
        if depth >= _CELL:
            texts.append(text)

    def end(tag: str) -> None:
        nonlocal depth
        if depth == _CELL:
            row[tag] = "".join(texts)
        elif depth == _ROW:
            made.append(row)
        depth -= 1

    parser = decoder = None
    number = 0
    with opened(source, name) as stream:
        while True:
            chunk = stream.read(_CHUNK)
            try:
                if parser is None:
                    decoder = _decoder(chunk)
                    parser = expat.ParserCreate("utf-8" if decoder else None)
                    parser.StartDoctypeDeclHandler = document_type
                    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, data
                parser.Parse(decoder.decode(chunk, not chunk).encode() if decoder else chunk, not chunk)
            except (expat.ExpatError, LookupError, UnicodeError) as error:
                raise BadData(
                    f"{name} cannot be read as XML.", reason=str(error), way_out="Download or save it again."
                ) from error
            for one in made:
                number += 1
                yield number, one
            made.clear()
            if not chunk:
                return


def _decoder(beginning: bytes) -> codecs.IncrementalDecoder | None:
    """A decoder for the encoding that a file declares, unless expat reads it.

    Raises:
        LookupError: there is no such encoding of text.
    """
    declared = _DECLARED.match(beginning)
    if not declared:
        return None
    name = declared[1].decode()
    bytes(4).decode(name)  # refuses what encodes no text, such as base64
    encoding = codecs.lookup(name)
    return None if encoding.name in _READ_BY_EXPAT else encoding.incrementaldecoder()
