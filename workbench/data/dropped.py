"""Rows that were left out of a set: which, why, and how to say so."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

EMPTY_LINE = "empty line"
_EXAMPLES = 5


@dataclass(frozen=True)
class Dropped:
    """A row that was left out: its line in the file (from 1, counting the header), the reason, and the start of its
    text; or the first of `count` rows that were left out for the same reason.
    """

    row: int
    reason: str
    text: str = ""
    count: int = 1


class DroppedRow(TypedDict):
    """The line number and the start of a row that was left out."""

    row: int
    text: str


class DroppedRows(TypedDict):
    """The rows that were left out for the same reason."""

    reason: str
    count: int
    examples: list[DroppedRow]


def add_dropped(dropped: list[Dropped], row: Dropped) -> None:
    """Add a row, or count it with the one before: after a few examples in a row, of the same reason, none is kept.

    >>> rows: list[Dropped] = []
    >>> for line in range(1_000):
    ...     add_dropped(rows, Dropped(line, "empty"))
    >>> len(rows), dropped_rows(rows)
    (6, 1000)
    """
    if len(dropped) > _EXAMPLES and all(one.reason == row.reason for one in dropped[-_EXAMPLES - 1 :]):
        dropped[-1] = replace(dropped[-1], count=dropped[-1].count + row.count)
    else:
        dropped.append(row)


def dropped_rows(dropped: Iterable[Dropped]) -> int:
    """The number of rows that were left out."""
    return sum(one.count for one in dropped)


def count_dropped(dropped: Sequence[Dropped], *, examples: int = _EXAMPLES) -> list[DroppedRows]:
    """For each reason, most frequent first: the number of rows and the first few of them.

    >>> count_dropped([Dropped(3, "empty"), Dropped(9, "empty")])[0]["count"]
    2
    """
    counts: Counter[str] = Counter()
    for one in dropped:
        counts[one.reason] += one.count
    rows: dict[str, list[DroppedRow]] = {reason: [] for reason in counts}
    for one in dropped:
        if len(rows[one.reason]) < examples:
            rows[one.reason].append({"row": one.row, "text": one.text})
    return [{"reason": reason, "count": count, "examples": rows[reason]} for reason, count in counts.most_common()]


def why_dropped(dropped: Sequence[Dropped]) -> str:
    """A summary of the rows that were left out, for an error message; empty if there are none.

    >>> why_dropped([Dropped(3, "empty"), Dropped(9, "empty")])
    'rows left out for empty: 2'
    """
    why = "; ".join(f"{one['reason']}: {one['count']}" for one in count_dropped(dropped))
    return f"rows left out for {why}" if why else ""


def left_out(name: str, dropped: Sequence[Dropped]) -> list[str]:
    """A notice about the rows that were left out of a set, as a list of at most one text. Empty lines do not count.

    >>> left_out("a.tsv", [Dropped(3, "no score"), Dropped(9, "no score")])
    ['a.tsv: 2 rows were left out (no score: 2, first in row 3).']
    """
    return counts_said(name, count_dropped(dropped))


def notices_of(name: str, notices: Iterable[str], counted: Iterable[DroppedRows]) -> list[str]:
    """What was noticed while a corpus was read, each once, and which rows were left out; see `counts_said`."""
    return list(dict.fromkeys([*notices, *counts_said(name, counted)]))


def counts_said(name: str, counted: Iterable[DroppedRows]) -> list[str]:
    """`left_out` for rows that `count_dropped` has counted.

    >>> counts_said("a.tsv", count_dropped([Dropped(3, "no score")]))
    ['a.tsv: 1 row was left out (no score: 1, first in row 3).']
    """
    rows = [one for one in counted if one["reason"] != EMPTY_LINE]
    if not rows:
        return []
    why = [f"{one['reason']}: {one['count']:,}, first in row {one['examples'][0]['row']}" for one in rows]
    more = f"; {len(why) - 4} more reason{'s' * (len(why) > 5)}" if len(why) > 4 else ""
    many = sum(one["count"] for one in rows)
    rows_were = "1 row was" if many == 1 else f"{many:,} rows were"
    return [f"{name}: {rows_were} left out ({'; '.join(why[:4])}{more})."]
