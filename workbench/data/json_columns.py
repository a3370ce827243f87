"""One JSON object as rows: its fields are columns, or one of them holds the rows; the forms of pandas' `to_json`.

`{"text": ["a", "b"], "score": [1, 2]}` (a list for each column), `{"text": {"0": "a", "1": "b"}, ...}` (what `to_json` writes if
no form is named), `{"0": {"text": "a"}, ...}`, `{"columns": [...], "index": [...], "data": [[...], ...]}`, and
`{"version": 1, "data": [{"text": "a"}, ...]}`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TextIO

from workbench.core.errors import BadData
from workbench.data.split_names import split_in

MOST_BYTES = 200_000_000
"""A larger file is refused: it is read as a whole."""
_INSIDE = rb'[^"\\]*(?:\\.[^"\\]*)*'  # of a text in quotation marks
_KEY = rb'"' + _INSIDE + rb'"\s*:\s*'
_SCALAR = rb'(?:"' + _INSIDE + rb'"|-?\d[\d.eE+-]*|true|false|null|NaN)'
_BEGINNING = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*\{\s*(?:" + _KEY + _SCALAR + rb"\s*,\s*){0,20}"
    rb'"(?P<key>' + _INSIDE + rb')"\s*:\s*'
    rb"(?:(?P<list>\[\s*(?:" + _SCALAR + rb"\s*[\],]|(?P<rows>\{)))|\{\s*" + _KEY + _SCALAR + rb"\s*[,}])"
)
_SPLIT_FORM = {"columns", "data"}


def is_of_columns(head: bytes, whole: bool) -> bool:
    """Whether a file is one such object, by its beginning; `whole` if that is all of it.

    >>> is_of_columns(b'{"text": ["a", "b"]}', True), is_of_columns(b'{"words": ["a", "b"]}\\n{"words": ["c"]}\\n', True)
    (True, False)
    """
    found = _BEGINNING.match(head)
    if found is None or (found["rows"] and split_in(found["key"].decode("utf-8", "replace"))):
        return False
    first, end, others = head.lstrip().partition(b"\n")
    if not end:
        return True
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return True  # it goes on in the next line
    return whole and not others.strip()


def rows_of(text: TextIO, name: str) -> Iterator[tuple[int, str]]:
    """The number, from 1, and an object for each row.

    Raises:
        BadData: it is damaged, larger than `MOST_BYTES`, or its fields are no columns of one length.
    """
    written = text.read(MOST_BYTES + 1)
    if len(written) > MOST_BYTES:
        raise BadData(
            f"{name} is too large for one JSON object.",
            rule=f"It is read as a whole: {MOST_BYTES // 10**6} MB at most.",
            way_out="Save it as lines, as pandas' to_json(orient='records', lines=True) does.",
        )
    try:
        found = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise BadData(f"{name} is damaged JSON.", reason=str(error), way_out="Download or save it again.") from None
    rows = _rows(found) if isinstance(found, dict) else []
    if len(rows) < 2:
        raise no_rows(name)
    for number, row in enumerate(rows, 1):
        yield number, json.dumps(row, ensure_ascii=False)


def no_rows(name: str) -> BadData:
    """The message about JSON in which no rows are found."""
    return BadData(
        f"{name} is JSON, but not a table of at least two rows.",
        rule="JSON is read as lines with one object or a list of two or three texts each, as one array of objects, as an object "
        "with such an array for each split, or as one object with columns of one length.",
        way_out="Save it that way, as pandas' to_json(orient='records') does.",
    )


def _rows(document: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
    """The rows of an object; none if it is of no known form."""
    data = document.get("data")
    if document.keys() >= _SPLIT_FORM and isinstance(data, list):
        names = document["columns"]
        lists = isinstance(names, list) and all(isinstance(row, list) and len(row) == len(names) for row in data)
        return (
            [dict(zip(map(str, names), row, strict=True)) for row in data] if lists and isinstance(names, list) else []
        )
    lists_ = {name: value for name, value in document.items() if isinstance(value, list)}
    inner = {name: value for name, value in document.items() if isinstance(value, dict)}
    if len(inner) == len(document):
        return _of_objects(inner)
    for value in lists_.values():
        if value and all(isinstance(row, dict) and not _has_rows(row) for row in value):
            return value
    nested = any(isinstance(cell, dict | list) for value in lists_.values() for cell in value)
    if nested or len(lists_) < len(document) or len({*map(len, lists_.values())}) != 1:
        return []
    return [dict(zip(lists_, cells, strict=True)) for cells in zip(*lists_.values(), strict=True)]


def _of_objects(fields: Mapping[str, Mapping[str, object]]) -> Sequence[Mapping[str, object]]:
    """The rows of an object of objects: these are columns, whose keys are the rows', or rows, if their own keys count them."""
    inner = list(dict.fromkeys(chain.from_iterable(fields.values())))
    counted, counted_within = (all(key.isdecimal() for key in keys) for keys in (fields, inner))
    of_rows = len(fields) > len(inner) if counted == counted_within else counted
    if of_rows:
        return [row for row in fields.values() if not _has_rows(row)]
    return [{name: column.get(row) for name, column in fields.items()} for row in inner]


def _has_rows(row: Mapping[str, object]) -> bool:
    """Whether a row holds others, as the articles of SQuAD do."""
    return any(isinstance(value, list) and any(isinstance(one, dict) for one in value) for value in row.values())
