"""Tables of labelled texts without a header: which column has which role, told by the contents."""

from collections import Counter
from collections.abc import Sequence

from workbench.data.columns import NO_VALUE, text_columns
from workbench.data.files import TextFile
from workbench.data.split_names import SPLITS

MOST_CLASSES = 500
"""A column with more values holds no classes."""
_ROWS_OF_A_CLASS = 2
"""Classes have so many rows on average; the values of other columns are hardly ever given again."""


def unnamed_places(file: TextFile, texts: Sequence[str], most: int = MOST_CLASSES) -> dict[str, int]:
    """The columns of the roles `texts`, `label` and `split` in a table without a header, as far as the contents tell: those of
    texts, if they are as many; the only other one with values that recur, at most `most` of them; and one with names of splits.
    """
    places = text_columns((), file.preview, file.columns)
    found = dict(zip(texts, places, strict=True)) if len(places) == len(texts) else {}
    counts = {at: Counter[str]() for at in range(file.columns) if at not in places}
    for _, cells in file.rows():
        for at in [*counts]:
            counts[at][cells[at].strip().casefold()] += 1
            if len(counts[at]) > MOST_CLASSES + len(NO_VALUE):
                del counts[at]
    for values in counts.values():
        for mark in NO_VALUE:
            values.pop(mark, None)
    if splits := [at for at, values in counts.items() if len(values) > 1 and {*values} <= SPLITS]:
        found["split"] = splits[0]
    labels = [at for at, values in counts.items() if at not in splits and _are_classes(values, most)]
    return found | ({"label": labels[0]} if len(labels) == 1 else {})


def _are_classes(values: Counter[str], most: int) -> bool:
    """Whether the values of a column are classes.

    >>> _are_classes(Counter(["ham", "spam", "ham", "ham"]), 500), _are_classes(Counter(["a1", "b2", "c3"]), 500)
    (True, False)
    """
    return 2 <= len(values) <= most and values.total() >= _ROWS_OF_A_CLASS * len(values)
