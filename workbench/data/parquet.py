"""Reads tables in Parquet: names of columns, and rows as cells of text."""

import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import BadData, brief
from workbench.data.cutting import Field, titled, value_of
from workbench.data.encodings import POINTER, opened
from workbench.data.labels import named, names_of_inference

if TYPE_CHECKING:
    from pyarrow import Array, DataType

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
    from pyarrow import parquet, types

    kinds: dict[Field, DataType] = {}
    with _read(name):
        schema = parquet.read_schema(_file(source))
        names = schema.names
        for column in schema:
            if types.is_struct(column.type):
                inner = (column.type.field(at) for at in range(column.type.num_fields))
                kinds |= {(column.name, field.name): field.type for field in inner}
            else:
                kinds[column.name,] = column.type
    if len(set(names)) < len(names):
        twice = next(one for one in names if names.count(one) > 1)
        raise BadData(
            f"{name} has several columns named {brief(twice)!r}.", way_out="Rename all but one, and save it again."
        )
    return {field: kind for field, kind in kinds.items() if isinstance(source, Path) or not types.is_nested(kind)}


def size_bytes(source: Path | bytes, name: str) -> int:
    """The size of its columns before compression, as the file states it. A text that is repeated may count once.

    Raises:
        BadData: it is not in Parquet.
    """
    from pyarrow import parquet

    with _read(name):
        about = parquet.read_metadata(_file(source))
        return sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))


def rows(source: Path | bytes, name: str) -> Iterator[tuple[int, list[str]]]:
    """The number of each row, from 1, and its cells; a missing value is an empty text, and equal texts may be one object.

    Hugging Face's data sets store classes as numbers and their names beside them: those of inference become words.

    Raises:
        BadData: it is damaged.
    """
    from pyarrow import parquet

    number = 0
    fields = list(fields_of(source, name).values())
    with _read(name):
        schema = parquet.ParquetFile(_file(source)).schema
        columns = [schema.column(at) for at in range(len(schema))]
        texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
        file = parquet.ParquetFile(  # with dictionaries, so that a repeated text takes its memory once
            _file(source), read_dictionary=texts, page_checksum_verification=True
        )
        classes = [_inference((file.schema_arrow.metadata or {}).get(b"huggingface"), field) for field in fields]
        for batch in file.iter_batches(columns=list(dict.fromkeys(field[0] for field in fields))):
            batch.validate(full=True)  # damage may be text that is not UTF-8, or a place beyond the dictionary
            for cells in zip(*(_values(batch.column(field[0]), field[1:]) for field in fields), strict=True):
                number += 1
                yield number, [_cell(named(cell, words)) for cell, words in zip(cells, classes, strict=True)]


@contextlib.contextmanager
def _read(name: str) -> Iterator[None]:
    """A context in which what is raised because of a damaged file becomes BadData. ValueError covers a column's name that is not
    UTF-8, OverflowError a date within a list that Python cannot hold.
    """
    from pyarrow import ArrowException

    try:
        yield
    except (ArrowException, OSError, ValueError, OverflowError) as error:
        raise BadData(
            f"{name} cannot be read as Parquet.",
            reason=(str(error).splitlines() or [type(error).__name__])[0][:200],
            way_out="Download or save it again.",
        ) from error


def _values(column: "Array", inner: Field) -> list[object]:
    """The values of a column, or of a field of a struct."""
    from pyarrow import DictionaryArray, timestamp, types

    for name in inner:
        column = column.flatten()[column.type.get_field_index(name)]
    if isinstance(column, DictionaryArray):
        texts = column.dictionary.to_pylist()
        return [None if at is None else texts[at] for at in column.indices.to_pylist()]
    if types.is_temporal(column.type):
        # As text at once: Python holds no year above 9999, and knows no zone of a name of its own.
        in_utc = column.cast(timestamp(column.type.unit)) if types.is_timestamp(column.type) else column
        return list(in_utc.cast("string").to_pylist())
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
    if isinstance(value, bytes):
        # Some programs write texts without saying that they are; anything else stays recognisable.
        with contextlib.suppress(UnicodeDecodeError):
            return value.decode()
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list) else str(value)
