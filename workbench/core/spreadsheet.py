"""Tables as CSV for spreadsheets, in which text that starts like a formula must stay text."""

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

_FORMULA = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")
"""The first characters of cells that a spreadsheet may compute, as listed by OWASP."""


def cell(value: object) -> object:
    """`value`, with an apostrophe in front if it is text that a spreadsheet would compute. Numbers, also written as text, are
    unchanged. Carriage returns become line feeds.

    >>> cell("=1+1"), cell("-0.5"), cell(-0.5), cell("- a dash"), cell("a = b")
    ("'=1+1", '-0.5', -0.5, "'- a dash", 'a = b')
    """
    if not isinstance(value, str):
        return value
    value = value.replace("\r\n", "\n").replace("\r", "\n")  # pandas quotes no cell for a carriage return
    if not value.startswith(_FORMULA):
        return value
    if value.isascii() and value == value.strip():
        with suppress(ValueError):
            float(value)
            return value
    return f"'{value}"


def csv_of(table: "DataFrame") -> str:
    """A table with its header and without its index as CSV: see `cell`."""
    safe = table.copy(deep=False)
    for place, kind in enumerate(safe.dtypes):
        if kind.kind not in "biufcmM":
            safe.isetitem(place, safe.iloc[:, place].astype(object).map(cell))
    return safe.rename(columns=cell).to_csv(index=False)


def parquet_of(table: "DataFrame") -> bytes:
    """A table without its index as Parquet; a column of several types becomes text.

    >>> parquet_of(__import__("pandas").DataFrame({"a": [1, "b"]}))[:4]
    b'PAR1'
    """
    from io import BytesIO

    import pyarrow

    plain = table.copy(deep=False).rename(columns=str)
    plain.attrs = {}
    for place, kind in enumerate(plain.dtypes):
        if kind.kind == "O":
            try:
                pyarrow.array(plain.iloc[:, place], from_pandas=True)
            except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
                plain.isetitem(place, plain.iloc[:, place].map(str))
    file = BytesIO()
    plain.to_parquet(file, index=False)
    return file.getvalue()
