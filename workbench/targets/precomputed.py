"""Vectors that were made elsewhere, by any model or code: read from a file of texts and their vectors, found by the text."""

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.core import paths
from workbench.core.errors import BadData
from workbench.data.cleaning import Cleaner
from workbench.data.columns import SINGLE

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyarrow import ChunkedArray, Table

ENDINGS = (".parquet", ".csv", ".tsv", ".jsonl", ".npz")
HELP = (
    "A file of texts and their vectors: Parquet, CSV, TSV or JSON lines with a column text or sentence, and the vectors as a "
    "column of lists or as numbered columns (0, 1, 2, ...); or .npz with an array of texts and one of vectors (texts, dim)."
)
_VECTORS = ("vector", "embedding", "vectors", "embeddings")
_NUMBERED = re.compile(r"(.*?)(\d+)")
_LINE_BYTES = 64_000_000
"""The longest line of JSON lines that is read."""


def stored_vectors(path: Path, texts: Sequence[str]) -> "NDArray[np.float32]":
    """float32 (texts, dim): the vector that the file has for each text. Texts are compared as the workbench reads them: one
    space for each run of white space, no control characters. Of a text that the file has twice, the first counts.

    Raises:
        BadData: the file cannot be used, or has no vector for some of the texts.
    """
    row_of, vectors = _table(path, _stamp(path) if paths.existing(path) else "")
    clean = Cleaner()
    rows = [row_of.get(text, row_of.get(clean(text, 0), -1)) for text in texts]
    if missing := list(dict.fromkeys(text for text, row in zip(texts, rows, strict=True) if row < 0)):
        raise BadData(
            f"{path.name} has no vector for {len(missing):,} of {len(set(texts)):,} texts.",
            got="; ".join(text if len(text) <= 60 else f"{text[:60]}..." for text in missing[:3]),
            way_out="Embed these too and add them to the file. The sentences of a pair set, one on each line, are written by: "
            "python -m workbench pair_texts PAIRS --most 1000000 > texts.txt",
        )
    return vectors[rows]


def _stamp(path: Path) -> tuple[int, int]:
    about = path.stat()
    return about.st_mtime_ns, about.st_size


@lru_cache(maxsize=2)
def _table(path: Path, stamp: object) -> tuple[dict[str, int], "NDArray[np.float32]"]:
    """The row of each text, and the vectors; `stamp` changes with the file."""
    texts, vectors = read_file(path)
    clean, row_of = Cleaner(), dict[str, int]()
    for row, text in enumerate(texts):
        row_of.setdefault(clean(text, row), row)
    return row_of, vectors


def read_file(path: Path) -> tuple[list[str], "NDArray[np.float32]"]:
    """The texts of a file and their vectors, float32 (texts, dim).

    Raises:
        BadData: there is no such file, or it does not hold texts and vectors.
    """
    from struct import error as cut_off
    from zlib import error as badly_packed

    from pyarrow import ArrowException

    # RuntimeError covers a password, ways of packing that are not known, and nested brackets.
    of_python = (OSError, ValueError, TypeError, EOFError, RuntimeError, MemoryError)
    if not path.is_file():
        raise BadData(f"There is no file of vectors {path}.", rule=HELP)
    if path.suffix.lower() not in ENDINGS:
        raise BadData(f"{path.name} cannot be read as vectors.", rule=HELP)
    try:
        texts, vectors = _arrays(path) if path.suffix.lower() == ".npz" else _columns(_arrow(path), path)
    except (ArrowException, cut_off, badly_packed, *of_python) as error:
        reason = (str(error).splitlines() or [""])[0][:200]
        raise BadData(f"{path.name} cannot be read as vectors.", rule=HELP, reason=reason) from error
    if not vectors.size:
        raise BadData(f"{path.name} has no vectors.", rule=HELP)
    if (lost := ~np.isfinite(vectors).all(axis=1)).any():
        raise BadData(
            f"{path.name} has a number that is missing or not finite in {int(lost.sum()):,} of {len(vectors):,} vectors.",
            got=texts[int(lost.argmax())][:80],
            way_out="Leave these texts out, or embed them again.",
        )
    return texts, vectors


def _arrays(path: Path) -> tuple[list[str], "NDArray[np.float32]"]:
    """Of an .npz file the array of texts and that of vectors. Python objects are not read: they could run code."""
    from zipfile import BadZipFile

    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = [file[name] for name in file.files]
    except BadZipFile as error:
        raise ValueError(str(error)) from error
    texts = [array for array in arrays if array.dtype.kind == "U" and array.ndim == 1]
    vectors = [array for array in arrays if array.dtype.kind in "fiu" and array.ndim == 2]
    if len(texts) != 1 or len(vectors) != 1 or len(texts[0]) != len(vectors[0]):
        raise BadData(
            f"{path.name} does not hold one array of texts and one of their vectors.",
            rule="They have as many rows, and texts are saved as np.array(texts, dtype=str).",
            got=", ".join(f"{array.dtype} {array.shape}" for array in arrays),
        )
    return texts[0].tolist(), np.asarray(vectors[0], np.float32)


def _arrow(path: Path) -> "Table":
    from pyarrow import csv, json, parquet, string

    kind = path.suffix.lower()
    if kind == ".parquet":
        return parquet.ParquetFile(path).read()
    if kind == ".jsonl":
        return json.read_json(path, read_options=json.ReadOptions(block_size=_LINE_BYTES))
    cut = csv.ParseOptions(delimiter="\t" if kind == ".tsv" else ",", newlines_in_values=True)
    # Without this, texts such as 12 or null would be read as numbers or as missing.
    kept = csv.ConvertOptions(column_types=dict.fromkeys(SINGLE, string()), strings_can_be_null=False)
    return csv.read_csv(path, parse_options=cut, convert_options=kept)


def _columns(table: "Table", path: Path) -> tuple[list[str], "NDArray[np.float32]"]:
    """The column of texts, and the vectors: a column of lists, or columns that are numbered from 0 or 1."""
    from pyarrow import types

    kinds = dict(zip(table.column_names, table.schema.types, strict=True))
    if len(kinds) < len(table.column_names):
        raise BadData(f"{path.name} has two columns of one name.", rule=HELP)
    words = [name for name, kind in kinds.items() if types.is_string(kind) or types.is_large_string(kind)]
    lists = [name for name, kind in kinds.items() if _is_list(kind)]
    if not lists and table.num_rows:  # CSV spells a list as text
        lists = [name for name in words if str(table[name][0].as_py()).startswith("[")]
    texts = _one([name for name in words if name not in lists], SINGLE)
    if texts is None:
        raise BadData(
            f"{path.name} has no column of texts.",
            rule=f"It is called {', '.join(SINGLE[:-1])} or {SINGLE[-1]}, or is the only one that holds texts.",
            got=f"The columns {', '.join(table.column_names)[:200]}.",
        )
    said = ["" if text is None else str(text) for text in table[texts].to_pylist()]
    if lists:
        name = _one(lists, _VECTORS)
        if name is None:
            raise BadData(
                f"{path.name} has several columns of lists.",
                rule=f"That of the vectors is called {', '.join(_VECTORS[:-1])} or {_VECTORS[-1]}.",
                got=", ".join(lists)[:200],
            )
        return said, _of_lists(table[name], path)
    numbers = _numbered([name for name in kinds if name != texts])
    if not numbers:
        raise BadData(
            f"{path.name} has no vectors.", rule=HELP, got=f"The columns {', '.join(table.column_names)[:200]}."
        )
    vectors = np.empty((table.num_rows, len(numbers)), np.float32)
    for place, name in enumerate(numbers):
        if not (types.is_floating(kinds[name]) or types.is_integer(kinds[name]) or types.is_null(kinds[name])):
            raise BadData(f"The column {name} of {path.name} has a cell that is not a number.", rule=HELP)
        vectors[:, place] = table[name].to_numpy()  # a missing number becomes nan
    return said, vectors


def _is_list(kind: object) -> bool:
    from pyarrow import types

    return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)


def _one(names: Sequence[str], known: Sequence[str]) -> str | None:
    """The one of the names that is known, by the order of `known`; otherwise the only one."""
    by_name = {name.strip().casefold(): name for name in reversed(names)}
    found = next((by_name[name] for name in known if name in by_name), None)
    return found or (names[0] if len(names) == 1 else None)


def _numbered(names: Sequence[str]) -> list[str]:
    """The longest series of names that are numbered without a gap from 0 or 1, in order: an index or a label is none of them.

    >>> _numbered(["Unnamed: 0", "id", "dim_1", "dim_0", "dim_2"])
    ['dim_0', 'dim_1', 'dim_2']
    """
    series: dict[str, dict[int, str]] = {}
    for name in names:
        if match := _NUMBERED.fullmatch(name.strip()):
            series.setdefault(match[1], {})[int(match[2])] = name
    whole = [
        [numbered[number] for number in sorted(numbered)]
        for numbered in series.values()
        if sorted(numbered) in (list(range(len(numbered))), list(range(1, len(numbered) + 1)))
    ]
    return max(whole, key=len, default=[])


def _of_lists(column: "ChunkedArray", path: Path) -> "NDArray[np.float32]":
    """A column of lists of numbers as float32 (rows, dim)."""
    from pyarrow import compute

    if not _is_list(column.type):
        rows = [json.loads(text) for text in column.to_pylist()]
        lengths = [len(row) for row in rows]
    else:
        if column.null_count:
            raise BadData(f"{path.name} has no vector in {column.null_count:,} of {len(column):,} rows.")
        lengths = compute.list_value_length(column).to_pylist()
    if len(set(lengths)) > 1:
        other = next(row for row, length in enumerate(lengths) if length != lengths[0])
        raise BadData(
            f"The vectors in {path.name} are not of one length.",
            got=f"{lengths[0]:,} numbers in the first row, {lengths[other]:,} in row {other + 1:,}",
        )
    if not _is_list(column.type):
        vectors = np.asarray(rows, np.float32)
        if vectors.ndim != 2:
            raise ValueError("A vector is a list of numbers.")
        return vectors
    flat = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in column.chunks]
    return np.concatenate([np.asarray(part, np.float32) for part in flat]).reshape(len(column), -1)
