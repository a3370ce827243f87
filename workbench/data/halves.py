"""Pairs in one cell: two sentences with a line feed or a tab between them, as in STR-2022 and SemRel2024."""

import re
from collections.abc import Sequence

from workbench.data.columns import score_column, spelt, text_columns

NAMES = ("sentence1", "sentence2")
"""What the two columns are called that such a column becomes."""
_MOST = 0.9
_NUMBERED = ("pairid", "pair_id")


def halves(cell: str) -> list[str]:
    """The two sentences in a cell; none if there are fewer or more.

    >>> halves("It rains.\\nIt pours."), halves("It rains."), halves("1\\n2\\n3")
    (['It rains.', 'It pours.'], [], [])
    """
    parts = [part.strip() for part in re.split("[\n\t]", cell.strip())]
    return parts if len(parts) == 2 and all(parts) else []


def column_of_pairs(header: Sequence[str], sample: Sequence[Sequence[str]]) -> int | None:
    """Index of the column of whose cells 90 % have two `halves`, in a table that scores or numbers pairs and has no other texts.

    >>> column_of_pairs(["PairID", "Text", "Score"], [["1", "It rains.\\nIt pours.", "0.9"], ["2", "A dog.\\nA bus.", "0"]])
    1
    """
    names = [*map(spelt, header)]
    texts = text_columns(header, sample, len(header)) if names else []
    if len(texts) != 1 or len(sample) < 2 or not {*NAMES}.isdisjoint(names):
        return None
    if score_column(names, texts) is None and not any(name in _NUMBERED for name in names):
        return None
    cells = [row[texts[0]] for row in sample if len(row) == len(header)]
    return texts[0] if sum(bool(halves(cell)) for cell in cells) >= _MOST * len(cells) else None
