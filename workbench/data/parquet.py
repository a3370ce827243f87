"""Reads tables in Parquet: names of columns, and rows as cells of text."""

import json
from collections.abc import Iterator
from pathlib import Path

from workbench.core.errors import BadData
from workbench.data.encodings import opened
from workbench.data.labels import NLI

MAGIC = b"PAR1"


def is_parquet(path: Path) -> bool:
    """Whether a file is in Parquet, whatever its name, or claims to be by its name.

    Raises:
        BadData: it cannot be read.
    """
    with opened(path, path.name) as stream:
        return stream.read(len(MAGIC)) == MAGIC or path.suffix.casefold() == ".parquet"


def names(path: Path) -> tuple[str, ...]:
    """The names of the columns.

    Raises:
        BadData: it is not in Parquet.
    """
    from pyarrow import ArrowException, parquet

    try:
        return tuple(map(str, parquet.read_schema(path).names))
    except (ArrowException, OSError) as error:
        raise _unreadable(path, error) from error


def rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The number of each row, from 1, and its cells; a missing value is an empty text.

    Hugging Face's data sets store classes as numbers and their names beside them: those of inference become words.

    Raises:
        BadData: it is damaged.
    """
    from pyarrow import ArrowException, parquet

    number = 0
    try:
        file = parquet.ParquetFile(path)
        classes = [_inference((file.schema_arrow.metadata or {}).get(b"huggingface"), name) for name in names(path)]
        for batch in file.iter_batches():
            for cells in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                number += 1
                yield number, [_cell(cell, words) for cell, words in zip(cells, classes, strict=True)]
    except (ArrowException, OSError) as error:
        raise _unreadable(path, error) from error


def _inference(described: bytes | None, name: str) -> list[str]:
    """The names of the classes of a column, if they are those of inference; none otherwise."""
    try:
        classes = json.loads(described or b"{}")["info"]["features"][name]["names"]
    except (ValueError, KeyError, TypeError):
        return []
    return classes if isinstance(classes, list) and sorted(map(str, classes)) == list(NLI) else []


def _cell(value: object, words: list[str]) -> str:
    if value is None:
        return ""
    if words and isinstance(value, int):
        return words[value] if 0 <= value < len(words) else ""
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list) else str(value)


def _unreadable(path: Path, error: Exception) -> BadData:
    return BadData(
        f"{path.name} cannot be read as Parquet.",
        reason=str(error).splitlines()[0][:200],
        way_out="Download or save it again.",
    )
