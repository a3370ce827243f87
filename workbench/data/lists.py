"""Columns whose cells are lists, as of JSON and Parquet: rows with a text for each item, or a refusal."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import cycle, islice

from workbench.core.errors import BadData
from workbench.data.cells import is_text
from workbench.data.dropped import Dropped, add_dropped

SET = "set"
"""The column of texts that all mean the same, as in sentence-transformers' training data."""
_LABEL = 200
"""A longer cell beside lists is no label, and is not repeated for their items."""
_TIMES = 20
"""So many times the length of a row may be that of the rows it stands for: a long text beside many short ones is no corpus."""


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


def items(cell: str) -> list[str]:
    """The items of a list that is written in JSON, without empty ones; a cell that holds something else is the only item.

    >>> items('["A dog.", null, 3]'), items("A dog."), items("")
    (['A dog.', '3'], ['A dog.'], [])
    """
    try:
        found = json.loads(cell) if cell.startswith("[") else cell
    except (ValueError, RecursionError):
        found = cell
    several = found if isinstance(found, list) else [found]
    return [one if isinstance(one, str) else json.dumps(one) for one in several if one not in (None, "")]


def are_of_texts(cells: Iterable[str]) -> bool:
    """Whether at least half of the items of lists are texts, rather than the words of one, numbers or objects.

    >>> are_of_texts(['["A dog.", "A cat."]']), are_of_texts(['["A", "dog", "."]']), are_of_texts(['[{"text": "A dog."}]'])
    (True, False, False)
    """
    found = [item for cell in cells for item in items(cell)]
    return bool(found) and sum(is_text(item) and not item.startswith("{") for item in found) >= 0.5 * len(found)


def readable(roles: Mapping[str, int], lists: Collection[int], sample: Sequence[Sequence[str]]) -> set[int]:
    """Those of the columns of texts whose lists can be read, see `rows_of_lists`: the only column of a corpus, and in pairs and
    triplets those of the positives and negatives. `sample` are the first rows.
    """
    if "text" not in roles:
        return set()
    paired = "positive" in roles and roles["positive"] != roles["text"]
    places = {roles[role] for role in (("positive", "negative") if paired else ("text",)) if role in roles}
    if paired and roles["positive"] not in lists:
        return set()
    return {at for at in places if at in lists and are_of_texts(row[at] for row in sample if at < len(row))}


def lists_said(roles: Mapping[str, int], header: Sequence[str]) -> str:
    """How the lists of a corpus are read, in a sentence.

    >>> lists_said({"text": 0, "positive": 0}, ["set"]), lists_said({"text": 0}, ["texts"])
    ('the texts of each list in column set are taken two by two.', 'each item of the lists in column texts is a row.')
    """
    at = roles.get("positive", roles["text"])
    if roles.get("positive") == roles["text"]:
        return f"the texts of each list in column {header[at]} are taken two by two."
    turn = f", with one of those in {header[roles['negative']]} in turn" if "negative" in roles else ""
    return f"each item of the lists in column {header[at]} is a row{turn}."


def rows_of_lists(
    rows: Iterable[tuple[int, Sequence[str]]], roles: Mapping[str, int], lists: Collection[int], dropped: list[Dropped]
) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row by `roles`, as many rows as the list of positives has items, or that of the texts; `lists` are the
    columns that hold lists.

    The negatives are used in turn: again if they are fewer than the positives, and the last ones are left out if they are more.
    The texts of a set, which is text and positive at once, are taken two by two, a last one with the first.
    """
    listed = [role for role, at in roles.items() if at in lists]
    for row, cells in rows:
        found = {role: items(cells[roles[role]]) for role in listed}
        if not all(found.values()) or (roles["text"] == roles.get("positive") and len(found["text"]) < 2):
            add_dropped(dropped, Dropped(row, "a list without enough texts", " ".join(cells)[:80]))
            continue
        if roles["text"] == roles.get("positive"):
            texts = [*found["text"], *found["text"][: len(found["text"]) % 2]]
            found |= {"text": texts[0::2], "positive": texts[1::2]}
        many = len(found.get("positive") or found["text"])
        columns = [[*islice(cycle(found.get(role, [cells[at]])), many)] for role, at in roles.items()]
        made = [[*one] for one in zip(*columns, strict=True)]
        if sum(len(cell) for one in made for cell in one) > _TIMES * sum(map(len, cells)):
            add_dropped(
                dropped, Dropped(row, "a text too long to repeat for each item of a list", " ".join(cells)[:80])
            )
            continue
        for one in made:
            yield row, one


def aligned(
    roles: Mapping[str, int], texts: Collection[str], lists: Collection[int], sample: Sequence[Sequence[str]]
) -> list[str]:
    """The roles, if all of them are lists and those of `texts` lists of texts, as in mteb's clustering and pair classification;
    none otherwise.
    """
    whole = {*roles.values()} <= {*lists}
    return [*roles] if whole and all(are_of_texts(row[roles[role]] for row in sample) for role in texts) else []


def rows_of_aligned(
    rows: Iterable[tuple[int, list[str]]], places: Sequence[int], dropped: list[Dropped]
) -> Iterator[tuple[int, list[str]]]:
    """The rows, each as often as the lists in its columns `places` have items, with one of each; as they are without `places`."""
    for row, cells in rows:
        if not places:
            yield row, cells
            continue
        found = [items(cells[at]) for at in places]
        if len({*map(len, found)}) > 1:
            add_dropped(dropped, Dropped(row, "lists of different lengths", " ".join(cells)[:80]))
            continue
        for together in zip(*found, strict=True):
            of_items = dict(zip(places, together, strict=True))
            yield row, [of_items.get(at, cell if len(cell) < _LABEL else "") for at, cell in enumerate(cells)]
