"""Reads tables in Parquet: names of columns, and rows as cells of text."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import BadData
from workbench.data.cutting import Field, titled, value_of
from workbench.data.encodings import POINTER, opened
from workbench.data.labels import named, names_of_inference

if TYPE_CHECKING:
    from pyarrow import Array, DataType
    from pyarrow.parquet import FileMetaData

MAGIC = b"PAR1"


def is_parquet(source: Path | bytes, name: str) -> bool:
    """Whether a file is in Parquet, whatever its name, or claims to be by its name; a pointer of Git LFS is not.

    Raises:
        BadData: it cannot be read.
    """
    with opened(source, name) as stream:
        head = stream.read(len(POINTER))
    return head.startswith(MAGIC) or (name.casefold().endswith(".parquet") and head != POINTER)


def fields_of(source: Path | bytes, name: str) -> dict[str, Field]:
    """The columns by their names; those of a struct are columns of their own. Of an upload, lists are left out, since a few bytes
    may stand for any number of them.

    Raises:
        BadData: it is not in Parquet.
    """
    return titled(_kinds(source, name))


def lists_of(source: Path | bytes, name: str) -> frozenset[int]:
    """The indices of the `fields_of` whose cells are lists, or structs within a struct.

    Raises:
        BadData: it is not in Parquet.
    """
    from pyarrow import types

    return frozenset(place for place, kind in enumerate(_kinds(source, name).values()) if types.is_nested(kind))


def _kinds(source: Path | bytes, name: str) -> "dict[Field, DataType]":
    from pyarrow import types

    kinds: dict[Field, DataType] = {}
    for column in _about(source, name).schema.to_arrow_schema():
        if types.is_struct(column.type):
            inner = (column.type.field(at) for at in range(column.type.num_fields))
            kinds |= {(column.name, field.name): field.type for field in inner}
        else:
            kinds[column.name,] = column.type
    return {field: kind for field, kind in kinds.items() if isinstance(source, Path) or not types.is_nested(kind)}


def size_bytes(source: Path | bytes, name: str) -> int:
    """The size of its columns before compression, as the file states it. A text that is repeated may count once.

    Raises:
        BadData: it is not in Parquet.
    """
    about = _about(source, name)
    return sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))


def _about(source: Path | bytes, name: str) -> "FileMetaData":
    from pyarrow import ArrowException, parquet

    try:
        return parquet.read_metadata(_file(source))
    except (ArrowException, OSError) as error:
        raise _unreadable(name, error) from error


def rows(source: Path | bytes, name: str) -> Iterator[tuple[int, list[str]]]:
    """The number of each row, from 1, and its cells; a missing value is an empty text, and equal texts may be one object.

    Hugging Face's data sets store classes as numbers and their names beside them: those of inference become words.

    Raises:
        BadData: it is damaged.
    """
    from pyarrow import ArrowException, parquet

    number = 0
    fields = list(fields_of(source, name).values())
    try:
        schema = parquet.ParquetFile(_file(source)).schema
        columns = [schema.column(at) for at in range(len(schema))]
        texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
        file = parquet.ParquetFile(
            _file(source), read_dictionary=texts
        )  # so that a repeated text takes its memory once
        classes = [_inference((file.schema_arrow.metadata or {}).get(b"huggingface"), field) for field in fields]
        for batch in file.iter_batches(columns=list(dict.fromkeys(field[0] for field in fields))):
            for cells in zip(*(_values(batch.column(field[0]), field[1:]) for field in fields), strict=True):
                number += 1
                yield number, [_cell(named(cell, words)) for cell, words in zip(cells, classes, strict=True)]
    except (ArrowException, OSError) as error:
        raise _unreadable(name, error) from error


def _values(column: "Array", inner: Field) -> list[object]:
    """The values of a column, or of a field of a struct."""
    from pyarrow import DictionaryArray

    for name in inner:
        column = column.flatten()[column.type.get_field_index(name)]
    if isinstance(column, DictionaryArray):
        texts = column.dictionary.to_pylist()
        return [None if at is None else texts[at] for at in column.indices.to_pylist()]
    return list(column.to_pylist())


def _file(source: Path | bytes) -> "Path | io.BytesIO":
    return io.BytesIO(source) if isinstance(source, bytes) else source


def _inference(described: bytes | None, field: Field) -> list[str]:
    """The names of the classes of a column, if they are those of inference; none otherwise."""
    try:
        about = json.loads(described or b"{}")["info"]["features"]
    except (ValueError, KeyError, TypeError):
        return []
    return names_of_inference(value_of(about, (*field, "names")))


def _cell(value: object) -> str:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list) else str(value)


def _unreadable(name: str, error: Exception) -> BadData:
    return BadData(
        f"{name} cannot be read as Parquet.",
        reason=str(error).splitlines()[0][:200],
        way_out="Download or save it again.",
    )
