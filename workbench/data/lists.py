"""Columns whose cells are lists, as of JSON and Parquet: each row needs one text, one label or one score."""

from collections.abc import Collection, Sequence

from workbench.core.errors import BadData


def lists_among(rows: Sequence[Sequence[object]]) -> frozenset[int]:
    """Indices of the columns of which at least half of the cells hold a list or an object, empty cells aside.

    >>> sorted(lists_among([["a b", ["c", "d"], None], ["e", [], {"f": 1}]]))
    [1, 2]
    """
    found = set[int]()
    for place, cells in enumerate(zip(*rows, strict=True)):
        there = [cell for cell in cells if cell is not None]
        if there and sum(isinstance(cell, list | dict) for cell in there) >= 0.5 * len(there):
            found.add(place)
    return frozenset(found)


def refuse_lists(
    name: str, header: Sequence[str], lists: Collection[int], places: Collection[int], way: str = ""
) -> None:
    """Check that none of the columns `places` is among those of `lists`.

    `way`, if given, shows how a column is chosen, with COLUMN in place of its name; the others of `places` then hold texts.

    Raises:
        BadData: one is; the message names it, and the texts that may be chosen instead.
    """
    found = [header[place] for place in sorted({*places} & {*lists})]
    if found:
        texts = [header[place] for place in places if place not in lists]
        other = f"text={texts[0]},positive={texts[1]}" if len(texts) > 1 else "".join(texts)
        raise BadData(
            f"{name}: the cells of column{'s' if len(found) > 1 else ''} {', '.join(found)} hold lists.",
            rule="Each row needs one text, and one label or score if it has any.",
            way_out="Write a row for each text of a list, as pandas' explode does, or choose other columns"
            + (f": {way.replace('COLUMN', other)}." if way and texts else "."),
        )
