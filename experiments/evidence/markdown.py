"""Figures as they stand in the tables of docs/RESULTS.md, and the tables themselves, in Markdown."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from experiments.evidence.cells import Row


def points(one: Row, *, alone: bool = False) -> str:
    """A difference with its interval, bold beyond noise; one of a single training is not."""
    beyond = not alone and (one["low"] > 0 or one["high"] < 0)
    ends = [100 * one["low"], 100 * one["high"]]
    digits = 2 if beyond and min(map(abs, ends)) < 0.05 else 1  # beyond noise must not read as an end at 0
    said = f"{100 * one['delta']:+.{digits}f} ({ends[0]:.{digits}f} to {ends[1]:.{digits}f})"
    return f"**{said}**" if beyond else said


def spread(values: Sequence[float]) -> str:
    """Mean and sample standard deviation.

    >>> spread([1.0, 2.0, 3.0]), spread([2.0]), spread([])
    ('2.00 (1.00)', '2.00', '')
    """
    if not values:
        return ""
    return f"{np.mean(values):.2f}" + (f" ({np.std(values, ddof=1):.2f})" if len(values) > 1 else "")


def with_instructions(machine: Row) -> str:
    """The widest instructions that a machine has, where that was told."""
    return f" with {machine['instructions']}" if machine.get("instructions") else ""


def precisions(cells: Iterable[Row]) -> str:
    """In which precisions, the more frequent one first, and how often each."""
    found = Counter(cell["precision"] for cell in cells if cell.get("precision"))
    return " and ".join(f"{name} ({count} cells)" for name, count in found.most_common()) + (
        ", whichever is faster on the machine" if len(found) > 1 else ""
    )


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table.

    >>> table(["a", "b"], [["1", "2"]])
    ['| a | b |', '|---|---|', '| 1 | 2 |']
    """
    shown = [column.replace("mean_cosine", "mean cosine").replace("isoscore", "IsoScore") for column in columns]
    head = [f"| {' | '.join(shown)} |", "|" + "---|" * len(columns)]
    return [*head, *(f"| {' | '.join(row)} |" for row in rows)]
