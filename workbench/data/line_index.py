"""The texts of a large file, fetched by row: only where every sixteenth of them begins is kept in memory."""

import hashlib
import os
import re
import threading
import weakref
from array import array
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, overload

import numpy as np

from workbench.core.errors import BadData
from workbench.data.cleaning import LONG_WORDS, Cleaner
from workbench.data.dropped import Dropped, add_dropped
from workbench.data.files import TextFile

if TYPE_CHECKING:
    from _hashlib import HASH

LARGE_BYTES = 16_000_000
"""From this size on, a file with one text per line is read by row."""
_BLOCK = 1 << 20
_GROUP = 16
"""Texts that are read together to get one of them: half a byte a text is kept, and some kilobytes are read."""
_READ_AHEAD = 256
"""Groups that are read at once when all texts are."""
_CUT = 16
"""Parts that a block is cut into to find the lines that have to be cleaned."""
_FEW = 2048
"""Bytes that are not cut any further for that."""
_BOM = b"\xef\xbb\xbf"
_ASCII = bytes([10, *range(32, 127)])
_CHANGES = re.compile("[\x80-\x9f\ufeff\ufffd]|\\s")
"""What a text without ASCII must not contain if it is to stay as it is, or without a notice, when it is cleaned."""
_VISIBLE = re.compile(b"[!-~]")
"""With one of these a line is not empty, however it is cleaned."""
_SPACE = 32


class LineTexts(Sequence[str]):
    """The cleaned texts of a file's lines, empty ones left out. Each is read from the file when it is asked for.

    The file stays open, so replacing it changes nothing; writing into it is noticed.
    """

    def __init__(self, path: Path, bounds: "array[int]", count: int) -> None:
        """`bounds` are where each group of texts begins and, at last, where the last one ends, in bytes."""
        self.path, self._bounds, self._count = path, bounds, count
        self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        weakref.finalize(self, os.close, self._file)
        self._seen = self._state()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> "str | list[str]":
        if isinstance(row, slice):
            return [self[one] for one in range(*row.indices(len(self)))]
        group, within = divmod(range(self._count)[row], _GROUP)
        return _clean(next(islice(self._lines(group, group + 1), within, None)))

    def __iter__(self) -> Iterator[str]:
        """All texts, in blocks."""
        groups = len(self._bounds) - 1
        for first in range(0, groups, _READ_AHEAD):
            yield from map(_clean, self._lines(first, min(groups, first + _READ_AHEAD)))

    def _lines(self, first: int, end: int) -> Iterator[bytes]:
        """The lines from group `first` up to group `end`, those without a text left out."""
        start = self._bounds[first]
        block = self._read(start, self._bounds[end] - start)
        return (line for line in block.split(b"\n") if _VISIBLE.search(line) or _clean(line))

    def _state(self) -> tuple[int, int]:
        about = os.fstat(self._file)
        return about.st_size, about.st_mtime_ns

    def _read(self, start: int, length: int) -> bytes:
        """Bytes of the file.

        Raises:
            BadData: the file was written to since it was opened.
        """
        with self._lock:  # not every system can read at an offset without moving the file's own
            os.lseek(self._file, start, os.SEEK_SET)
            found = os.read(self._file, length)
            while len(found) < length and (more := os.read(self._file, length - len(found))):
                found += more
        if len(found) < length or self._state() != self._seen:
            raise BadData(
                f"{self.path} was changed while it was in use.",
                rule="The texts of a large file are read when they are needed.",
                way_out="Put the old file back and resume, or start a new run.",
            )
        return found


def _clean(line: bytes) -> str:
    return Cleaner()(line.decode("utf-8", "replace"), 0)


def line_texts(file: TextFile, cleaner: Cleaner, dropped: list[Dropped]) -> tuple[LineTexts, str] | None:
    """The texts of a file in which each line is one, and their `hash_texts`; None for a file that is better read whole.

    Whole are read small files, archives, other encodings than UTF-8, tables, and lines that end with a lone carriage return.
    Empty lines are added to `dropped`, and `cleaner` sees the lines that it would change or mark.
    """
    if not isinstance(file.source, Path) or file.size_bytes < LARGE_BYTES:
        return None
    if file.encoding != "utf-8-sig" or file.delimiter or file.header or file.line_feeds:
        return None
    index = _Index(cleaner, dropped)
    with file.source.open("rb") as stream:
        offset = len(_BOM) if stream.read(len(_BOM)) == _BOM else 0
        if stream.seek(0) == 0 and stream.read(2) == b"\x1f\x8b":
            return None
        stream.seek(offset)
        rest = b""
        while block := stream.read(_BLOCK):
            whole, end, rest = (rest + block).rpartition(b"\n")
            if not end:
                continue
            if whole.count(b"\r") != whole.count(b"\r\n") + whole.endswith(b"\r"):
                return None
            index.add(whole + end, offset)
            offset += len(whole) + 1
        if rest:
            if b"\r" in rest[:-1]:
                return None
            index.add(rest + b"\n", offset)
    index.starts.append(index.end)
    return LineTexts(file.source, index.starts, index.count), index.digest.hexdigest()


class _Index:
    """Where every group of texts begins, and the hash of all of them, block by block."""

    def __init__(self, cleaner: Cleaner, dropped: list[Dropped]) -> None:
        self.cleaner, self.dropped = cleaner, dropped
        self.digest: HASH = hashlib.sha256()
        self.line = 0
        self.starts = array("q")
        self.end = self.count = 0

    def add(self, block: bytes, offset: int) -> None:
        """Whole lines, which begin at `offset` of the file."""
        if _stays(block):
            ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == 10)
            starts = np.concatenate([[0], ends[:-1] + 1])
            if int((ends - starts).max()) < 2 * LONG_WORDS - 1:
                self.digest.update(block)
                self.starts.extend((offset + starts[-self.count % _GROUP :: _GROUP]).tolist())
                self.count, self.end = self.count + len(ends), offset + int(ends[-1])
                self.line += len(ends)
                return
        parts = [] if len(block) <= _FEW else _parts(block)
        if len(parts) < 2:
            self._one_by_one(block, offset)
            return
        for start, end in parts:
            self.add(block[start:end], offset + start)

    def _one_by_one(self, block: bytes, offset: int) -> None:
        for line in block.split(b"\n")[:-1]:
            self.line += 1
            if text := self.cleaner(line.decode("utf-8", "replace"), self.line):
                self.digest.update(text.encode() + b"\n")
                if self.count % _GROUP == 0:
                    self.starts.append(offset)
                self.count, self.end = self.count + 1, offset + len(line)
            else:
                add_dropped(self.dropped, Dropped(self.line, "empty text"))
            offset += len(line) + 1


def _stays(block: bytes) -> bool:
    """Whether cleaning leaves all lines of a block as they are, without a notice."""
    if block[:1] in (b" ", b"\n") or not _is_clean(block):
        return False
    white = np.frombuffer(block, dtype=np.uint8) <= _SPACE  # spaces and line feeds: there are no other ones
    return not (white[1:] & white[:-1]).any()


def _parts(block: bytes) -> list[tuple[int, int]]:
    """Where some parts of a block begin and end, whole lines of about the same length in all."""
    ends = (block.find(b"\n", at) + 1 for at in range(len(block) // _CUT, len(block), len(block) // _CUT))
    cuts = sorted({0, *ends, len(block)})
    return list(pairwise(cuts))


def _is_clean(block: bytes) -> bool:
    """Whether a block has no character that cleaning removes or marks, and no white space but plain spaces and line feeds."""
    other = block.translate(None, _ASCII)
    if not other:
        return True
    try:
        if not block.isascii():
            block.decode("utf-8")  # `other` alone might be valid by accident
        return not other.translate(None, bytes(range(128, 256))) and not _CHANGES.search(other.decode("utf-8"))
    except UnicodeDecodeError:
        return False
