"""Formatting of figures for the tables of results, and of the tables, in Markdown."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from experiments.evidence.cells import Row


def points(row: Row, *, alone: bool = False) -> str:
    """A difference with its interval, bold if beyond noise; never bold for a single training.

    >>> points({"delta": 0.01, "low": -0.01, "high": 0.03}), points({"delta": 0.01, "low": 0.0002, "high": 0.03})
    ('+1.0 (-1.0 to 3.0)', '**+1.00 (0.02 to 3.00)**')
    """
    shown = f"{delta(row, alone=alone)} ({ends(row, alone=alone)})"
    return f"**{shown}**" if _beyond(row, alone=alone) else shown


def delta(row: Row, *, alone: bool = False) -> str:
    """A difference, in points."""
    return f"{100 * row['delta']:+z.{_digits(row, alone=alone)}f}"


def ends(row: Row, *, alone: bool = False) -> str:
    """The ends of its interval, in points."""
    digits = _digits(row, alone=alone)
    return f"{100 * row['low']:z.{digits}f} to {100 * row['high']:z.{digits}f}"


def _beyond(row: Row, *, alone: bool) -> bool:
    return bool(not alone and (row["low"] > 0 or row["high"] < 0))


def _digits(row: Row, *, alone: bool) -> int:
    """One, or two where an end beyond noise would read as 0."""
    near = min(abs(100 * row["low"]), abs(100 * row["high"])) < 0.05
    return 2 if near and _beyond(row, alone=alone) else 1


def spread(values: Sequence[float]) -> str:
    """Mean and sample standard deviation.

    >>> spread([1.0, 2.0, 3.0]), spread([2.0]), spread([])
    ('2.00 (1.00)', '2.00', '')
    """
    if not values:
        return ""
    return f"{np.mean(values):.2f}" + (f" ({np.std(values, ddof=1):.2f})" if len(values) > 1 else "")


def with_instructions(machine: Row) -> str:
    """The widest vector instructions of a machine, if recorded."""
    return f" with {machine['instructions']}" if machine.get("instructions") else ""


def precisions(cells: Iterable[Row]) -> str:
    """The precisions with their counts, the more frequent one first."""
    counts = Counter(cell["precision"] for cell in cells if cell.get("precision"))
    return " and ".join(f"{name} ({count} cells)" for name, count in counts.most_common()) + (
        ", whichever is faster on the machine" if len(counts) > 1 else ""
    )


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table.

    >>> table(["a", "b"], [["1", "2"]])
    ['| a | b |', '|---|---|', '| 1 | 2 |']
    """
    shown = [column.replace("mean_cosine", "mean cosine").replace("isoscore", "IsoScore") for column in columns]
    head = [f"| {' | '.join(shown)} |", "|" + "---|" * len(columns)]
    return [*head, *(f"| {' | '.join(row)} |" for row in rows)]
