"""What linked views show: rows of one or two kinds, with columns, and which rows of one kind belong to a row of the other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


def full_name(label: str, of: str) -> str:
    """A label together with whose it is.

    >>> full_name("Cosine", "minilm-l3"), full_name("Gold", "")
    ('Cosine: minilm-l3', 'Gold')
    """
    return f"{label}: {of}" if of else label


@dataclass(frozen=True, eq=False)
class Number:
    """A column of numbers, NaN where there is none; `diverging` numbers are coloured around 0, and sorted by their size."""

    name: str
    label: str
    values: NDArray[np.floating]
    digits: int = 2
    diverging: bool = False
    of: str = ""
    """Whose numbers they are, where several encoders have such a column; a table names it once above its columns."""


@dataclass(frozen=True, eq=False)
class Category:
    """A column of a few different texts."""

    name: str
    label: str
    values: Sequence[str]
    order: tuple[str, ...] = ()
    """All of them in the order of their colours; without it those of most rows come first."""
    quiet: str = ""
    """The one that is grey."""
    of: str = ""
    """As that of numbers."""


@dataclass(frozen=True, eq=False)
class Text:
    """A column of texts, shown and searched but never read as markup."""

    name: str
    label: str
    values: Sequence[str]
    of: str = ""


Column = Number | Category | Text


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of one kind; a row is identified by its number."""

    name: str
    singular: str
    plural: str
    columns: tuple[Column, ...]
    described: tuple[str, ...]
    """The columns that say what a row is: those shown beside a point."""

    def __len__(self) -> int:
        return len(self.columns[0].values)


@dataclass(frozen=True)
class EndText:
    """A text column of the rows that have ends: the column of one of its ends, which is not sent twice."""

    name: str
    label: str
    end: int
    column: str


@dataclass(frozen=True, eq=False)
class Ends:
    """Which rows of the kind `to` belong to each row of the kind `of`, such as the two sentences of a pair."""

    of: str
    to: str
    rows: NDArray[np.integer]
    """(rows of `of`, ends of each)."""
    texts: tuple[EndText, ...] = ()
