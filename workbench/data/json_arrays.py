"""One JSON document as rows: an array of objects, or an object with an array for each split.

The second is the form of CLINC150, `{"train": [["a text", "its label"], ...], "oos_val": [...]}`; objects may stand in the
arrays as well.
"""

import json
import re
from collections.abc import Iterator
from typing import TextIO

from workbench.core.errors import BadData
from workbench.data.json_columns import is_of_columns
from workbench.data.split_names import split_in

CHUNK = 1 << 20
"""So many bytes of a file's beginning tell its form, and so many characters are read at a time."""
_ARRAY = re.compile(rb'(?:\xef\xbb\xbf)?\s*\[\s*\{\s*"')
_OBJECT = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"([\w -]+)"\s*:\s*\[\s*[\[{]\s*"')
_BETWEEN = re.compile(r"[\s,:]*")
_DECODER = json.JSONDecoder()


def is_document(head: bytes) -> bool:
    """Whether a file is one array of objects, or one object with its rows, by its beginning of `CHUNK` bytes."""
    return _ARRAY.match(head) is not None or is_of_splits(head) or is_of_columns(head, len(head) < CHUNK)


def is_of_splits(head: bytes) -> bool:
    """Whether a file is one object whose first array is named after a split, by its beginning.

    >>> is_of_splits(b'{"oos_val": [["Who won?", "oos"]]}'), is_of_splits(b'{"answers": [{"text": "Nobody."}]}')
    (True, False)
    """
    found = _OBJECT.match(head)
    return found is not None and bool(split_in(found[1].decode()))


def elements_of(text: TextIO, name: str, most: int) -> Iterator[tuple[int, str]]:
    """The number, from 1, and the text of each object in the arrays of a document, of which a part is read at a time.

    In an object of splits each has a field `split`, a list of two texts is a text and its label, and what is no array
    of a split is passed over.

    Raises:
        BadData: it is damaged, or an element is longer than `most` characters.
    """
    reader = _Reader(text, name, most)
    of_splits = reader.sign() == "{"
    reader.start += 1
    within, split = not of_splits, ""
    while True:
        sign = reader.sign()
        if sign == ("]" if within else "}"):
            reader.start += 1
            if within and of_splits:
                within = False
            elif reader.sign():
                raise reader.damaged()
            else:
                return
        elif within:
            value, written = reader.value()
            if split or not of_splits:
                reader.rows += 1
                yield reader.rows, _with_split(value, written, split) if split else written
        else:
            key, _ = reader.value()
            split = split_in(key) if isinstance(key, str) else ""
            within = reader.sign() == "["
            if within:
                reader.start += 1
            else:
                reader.value()


class _Reader:
    """A document, from `start` on in the part that was read last; `rows` counts what was yielded."""

    def __init__(self, text: TextIO, name: str, most: int) -> None:
        self.start = self.rows = 0
        self._text, self._name, self._most, self._part = text, name, most, ""

    def sign(self) -> str:
        """The next character that is no space, comma or colon; empty at the end of the file."""
        while True:
            between = _BETWEEN.match(self._part, self.start)
            self.start = between.end() if between else self.start
            if self.start < len(self._part) or not self._more():
                return self._part[self.start : self.start + 1]

    def value(self) -> tuple[object, str]:
        """The next value, and how it is written.

        Raises:
            BadData: there is none, or it is too long.
        """
        while True:
            try:
                value, end = _DECODER.raw_decode(self._part, self.start)
            except (ValueError, RecursionError) as error:
                if len(self._part) - self.start > self._most or not self._more():
                    raise self.damaged() from error
                continue
            # A number at the end of a part may go on in the next one.
            if end < len(self._part) or not self._more():
                written = self._part[self.start : end]
                self.start = end
                return value, written

    def damaged(self) -> BadData:
        """The message about a document that cannot be read further."""
        return BadData(
            f"{self._name} is a damaged JSON array.",
            rule=f"It can be read up to object {self.rows:,}.",
            way_out="Download or save it again.",
        )

    def _more(self) -> bool:
        """Reads the next part; False at the end of the file."""
        more = self._text.read(CHUNK)
        self._part, self.start = self._part[self.start :] + more, 0
        return bool(more)


def _with_split(value: object, written: str, split: str) -> str:
    """The text of an object with the field `split` in front, unless it has one."""
    field = f'{{"split": "{split}"'
    if isinstance(value, dict):
        return f"{field}, {written[1:]}" if value else f"{field}}}"
    if isinstance(value, list) and len(value) == 2 and all(isinstance(one, str) for one in value):
        return json.dumps({"split": split, "text": value[0], "label": value[1]}, ensure_ascii=False)
    return written
