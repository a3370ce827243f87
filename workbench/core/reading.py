"""Reads JSON files and JSON lines; damaged content is skipped."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeGuard

import orjson

from workbench.core import unicode
from workbench.core.json_values import Json
from workbench.core.writing import write_text

_LONG = re.compile(rb"\d(?<![\d.]\d)\d{18}")
"""Possibly an integer of more than 64 bits, which orjson would make a float. It begins with a digit, which is found quickly."""


def read_json(path: Path) -> Json:
    """The content, or None if the file is missing or damaged."""
    try:
        return _parsed(path.read_bytes())
    except (OSError, ValueError, RecursionError):  # endlessly nested brackets count as damage
        return None


def read_object(path: Path) -> dict[str, Json]:
    """The JSON object in a file; empty if the file is missing or damaged, or holds something else."""
    found = read_json(path)
    return found if isinstance(found, dict) else {}


def read_lines(path: Path, start: int = 0) -> Iterator[dict[str, Json]]:
    """The objects of a jsonl file from byte `start` on. Cut or damaged lines are skipped; a missing file yields nothing."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            content = file.read()
    except FileNotFoundError:
        return
    yield from (row for line in content.split(b"\n") if (row := row_of(line)) is not None)


def row_of(line: bytes) -> dict[str, Json] | None:
    """The object in a line of a jsonl file; None if the line is cut, damaged, or not an object."""
    try:
        row = _parsed(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _parsed(content: bytes) -> Json:
    """The parsed JSON. Half characters, as escapes or bytes, become U+FFFD, because tables cannot hold them.

    Raises:
        ValueError: `content` is not JSON.
    """
    try:
        if not _LONG.search(content):
            return orjson.loads(content)
    except ValueError:  # half a character, or what only orjson refuses, such as NaN
        pass
    return _whole(json.loads(content.decode("utf-8", "surrogatepass")))


def _whole(value: Json) -> Json:
    if isinstance(value, str):
        return unicode.whole(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {unicode.whole(name): _whole(item) for name, item in value.items()}
    return value


def numeric(value: object) -> TypeGuard[int | float]:
    """Whether `value` is a number to compute with: not a bool, and below 1e300 in absolute value; NaN does not count.

    >>> numeric(3), numeric(float("nan")), numeric(True), numeric("3")
    (True, False, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def last_line(path: Path, tail: int = 8192) -> dict[str, Any] | None:
    """The last complete object in the final `tail` bytes of a jsonl file; None if there is none."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return None
    rows = list(read_lines(path, max(0, size - tail)))
    return rows[-1] if rows else None


def cut_after(path: Path, keep: Callable[[dict[str, Json]], bool]) -> None:
    """Rewrite a jsonl file with only the rows that `keep` accepts."""
    if path.exists():
        rows = [row for row in read_lines(path) if keep(row)]
        write_text(path, "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows))
