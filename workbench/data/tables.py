"""Tables of one's own task: which column has which role, from CSV, TSV, JSON lines or Parquet."""

from collections.abc import Container, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from workbench.core import paths
from workbench.core.errors import BadData, unknown
from workbench.data.cleaning import Cleaner
from workbench.data.columns import LABEL, NO_VALUE, PARTNERS, SINGLE, SPLIT, SUBSET, column_index, refuse_ids, spelt
from workbench.data.dropped import Dropped, left_out, why_dropped
from workbench.data.files import TextFile, examine
from workbench.data.labels import none_is_a_class
from workbench.data.lists import aligned, rows_of_aligned
from workbench.data.sources import split_source
from workbench.data.unnamed import MOST_CLASSES, unnamed_places


class Role(NamedTuple):
    """What a column is for: the names it usually has, whether every row needs it, and whether it holds texts."""

    names: tuple[str, ...]
    needed: bool = True
    text: bool = False


GROUP = Role((*SUBSET, "group", "slice", "domain", "source"), needed=False)
DIVISION = Role(SPLIT, needed=False)
LABELLED_TEXTS: Mapping[str, Role] = {
    "text": Role(SINGLE, text=True),
    "label": Role((*LABEL, "class", "category", "topic", "intent")),
    "group": GROUP,
    "split": DIVISION,
}
LABELLED_PAIRS: Mapping[str, Role] = {
    "sentence1": Role(tuple(first for first, _ in PARTNERS), text=True),
    "sentence2": Role(tuple(second for _, second in PARTNERS), text=True),
    "label": Role((*LABEL, "paraphrase", "score")),
    "group": GROUP,
    "split": DIVISION,
}
RELEVANT: Mapping[str, Role] = {
    "query": Role(("query", "question", "query_text", "anchor"), text=True),
    "document": Role(("document", "passage", "answer", "text", "positive"), text=True),
    "relevance": Role(("relevance", "score", "label"), needed=False),
    "group": GROUP,
}


_FEW_GROUPS = 20
_ROWS_OF_A_GROUP = 10
"""A column with more values than `_FEW_GROUPS` groups rows only if a group has so many of them on average."""


@dataclass(frozen=True)
class Table:
    """The usable rows of a table: for each role its cells, aligned. A role without a column is absent from `cells`."""

    name: str
    cells: dict[str, list[str]]
    header: tuple[str, ...]
    columns: dict[str, str]
    """The name, or the number from 1, of the column of each role."""
    rows: list[int]
    """Their lines in the file."""
    notices: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(next(iter(self.cells.values())))

    def optional(self, role: str) -> list[str]:
        """The cells of a role, stripped; empty texts if the table has no such column."""
        return [cell.strip() for cell in self.cells.get(role, [""] * len(self))]


def table_of(source: str | Path, folders: Sequence[str | Path] | None = None) -> tuple[Path, str | None] | None:
    """The file that `FILE` or `FILE#ROLE=COLUMN,...` names and the assignment; None if it names no file, such as a folder.

    Raises:
        OutsideFolders: it is outside `folders`.
    """
    path, chosen = split_source(source, folders)
    return (path, chosen) if paths.existing(path) and path.is_file() else None


def header_of(path: Path, roles: Mapping[str, Role]) -> tuple[str, ...]:
    """The names of a table's columns; numbers from 1 if its first row does not name them. Its rows are not read.

    Raises:
        BadData: it is not a table.
    """
    file = _opened(path, _names(roles))
    return file.header or tuple(str(number + 1) for number in range(file.columns))


def read_table(path: Path, chosen: str | None, roles: Mapping[str, Role]) -> Table:
    """The rows of a table by their roles. Columns are those of `chosen`, `ROLE=COLUMN,...`, or else told by their names or,
    without a header, by their contents (see `unnamed_places`).

    Texts are cleaned. A row without a text, or without a value that is needed, is left out, and a notice says how many were. The
    word none is a value beside other words, see `none_is_a_class`. A column of many small groups, such as one of addresses, is
    only used if it was chosen.

    Raises:
        BadData: no such column, a role without a column, a column of lists, or fewer than two usable rows.
        UnknownName: a word of `chosen` is not a role.
    """
    dropped: list[Dropped] = []
    file = _opened(path, _names(roles, chosen))
    header = file.header
    texts = [role for role, about in roles.items() if about.text]
    labelled = not header and not chosen and "label" in roles
    # A threshold is for two labels.
    by_content = unnamed_places(file, texts, MOST_CLASSES if len(texts) == 1 else 2) if labelled else {}
    places = _places(header, file.columns, path.name, chosen, roles, by_content)
    needed = {role: place for role, place in places.items() if roles[role].needed}
    listed = aligned(needed, [role for role in needed if roles[role].text], file.lists, file.preview)
    file.check_single(place for role, place in places.items() if role != "group" and role not in listed)
    by_name = (place for role, place in places.items() if roles[role].text and not _is_chosen(role, chosen))
    refuse_ids(path.name, header, file.preview, by_name, f"{path.name}#{example_of(roles)}")
    cleaner = Cleaner()
    read: list[tuple[int, dict[str, str]]] = []
    for row, line in rows_of_aligned(file.rows(dropped), [needed[role] for role in listed], dropped):
        values = {role: line[place] if place < len(line) else "" for role, place in places.items()}
        values = {role: cleaner(cell, row) if roles[role].text else cell.strip() for role, cell in values.items()}
        read.append((row, values))
    empty = {
        role: ("",) if roles[role].text else _without_value({values[role].casefold() for _, values in read})
        for role in places
        if roles[role].needed
    }
    cells: dict[str, list[str]] = {role: [] for role in places}
    kept: list[int] = []
    for row, values in read:
        lacking = [role for role, marks in empty.items() if values[role].casefold() in marks]
        if lacking:
            dropped.append(Dropped(row, f"no {lacking[0]}", " ".join(values.values())[:80]))
            continue
        kept.append(row)
        for role, cell in values.items():
            cells[role].append(cell)
    if len(next(iter(cells.values()))) < 2:
        raise BadData(f"{path.name} holds too few usable rows.", rule="Two are needed.", got=why_dropped(dropped))
    shown = {role: header[place] if header else str(place + 1) for role, place in places.items()}
    named = "group" in cells and not _is_chosen("group", chosen)
    ungrouped = _ungrouped(cells["group"], shown["group"]) if named else ""
    if ungrouped:
        del cells["group"], shown["group"]
    columns = ", ".join(f"{role} = {column}" for role, column in shown.items())
    how = " has no header; columns were inferred from their contents" if by_content else ""
    return Table(
        path.name,
        cells,
        header,
        shown,
        kept,
        [
            *file.notices,
            *([f"{path.name}: each item of its lists is a row."] if listed else []),
            f"{path.name}{how}: {columns}.",
            *([f"{path.name}: {ungrouped}"] if ungrouped else []),
            *cleaner.notices(),
            *left_out(path.name, dropped),
        ],
    )


def _ungrouped(cells: Sequence[str], column: str) -> str:
    """Why a column does not group the rows: it has many groups of few rows each. Empty if it does."""
    groups = len({*cells} - {""})
    if groups <= max(_FEW_GROUPS, len(cells) / _ROWS_OF_A_GROUP):
        return ""
    return (
        f"column {column} is not used for groups: it has {groups:,} different values in {len(cells):,} rows. Choose it, "
        f"group={column}, if it should be."
    )


def _is_chosen(role: str, chosen: str | None) -> bool:
    return any(part.partition("=")[0].strip().casefold() == role for part in (chosen or "").split(","))


def _without_value(cells: Set[str]) -> Set[str]:
    """What marks a row without a value in a column of these cells, in lower case."""
    return {*NO_VALUE} - ({"none"} if none_is_a_class(cells) else set())


def _opened(path: Path, names: Container[str]) -> TextFile:
    """The table. A first row with one of `names` is a header."""
    file = examine(path, lines=False, line_feeds=True)
    if not file.header and file.preview and any(cell.strip().casefold() in names for cell in file.preview[0]):
        file = examine(path, lines=False, header=True, line_feeds=True)
    return file


def _names(roles: Mapping[str, Role], chosen: str | None = None) -> set[str]:
    """Names of columns: the usual ones, and those assigned."""
    assigned = {part.partition("=")[2].strip().casefold() for part in (chosen or "").split(",")}
    usual = {name for role in roles.values() for name in role.names}
    return (usual | assigned) - {""} - {name for name in assigned if name.isdecimal()}


def _places(
    header: Sequence[str],
    width: int,
    name: str,
    chosen: str | None,
    roles: Mapping[str, Role],
    by_content: Mapping[str, int],
) -> dict[str, int]:
    """The index of the column of each role; `by_content` are those that the contents of a table without a header tell."""
    places = dict(by_content)
    refused: set[str] = set()
    for part in (chosen or "").split(",") if chosen else ():
        role, equals, column = (piece.strip() for piece in part.partition("="))
        if role.casefold() not in roles:
            raise unknown("role of a column", role, tuple(roles))
        if not equals or not column or role.casefold() in places:
            raise BadData(
                f"The columns cannot be assigned by {chosen!r}.", rule="Each role is one column: ROLE=COLUMN."
            )
        if column.casefold() == "none":
            refused.add(role.casefold())
        else:
            places[role.casefold()] = column_index(column, header, width, name)
    places = {**usual_places(header, roles, set(places.values()), {*places, *refused}), **places}
    absent = [role for role, about in roles.items() if about.needed and role not in places]
    if absent:
        raise BadData(
            f"{name}: cannot tell which column is {' and '.join(absent)}.",
            got=f"columns {', '.join(header)}" if header else f"{width} columns and no header",
            way_out=f"Say which is which: {name}#{example_of(roles, by_content)}.",
        )
    if len(set(places.values())) < len(places):
        raise BadData(f"{name}: one column was chosen twice.", rule="Each role is a column of its own.")
    return {role: places[role] for role in roles if role in places}


def example_of(roles: Mapping[str, Role], by_content: Mapping[str, int] = MappingProxyType({})) -> str:
    """An assignment of the columns that are needed, written after the path of a table; `by_content` are known by number."""
    needed = (role for role, about in roles.items() if about.needed)
    return ",".join(f"{role}={by_content[role] + 1 if role in by_content else 'COLUMN'}" for role in needed)


def usual_places(
    header: Sequence[str], roles: Mapping[str, Role], taken: "set[int]", settled: "set[str]"
) -> dict[str, int]:
    """The columns whose names are usual ones of a role. Columns in `taken` and roles that are `settled` are skipped.

    >>> usual_places(["id", "Text", "topic"], LABELLED_TEXTS, set(), set())
    {'text': 1, 'label': 2}
    """
    names = [spelt(name) for name in header]
    found: dict[str, int] = {}
    if {"sentence1", "sentence2"} <= set(roles) - settled:
        both = next((pair for pair in PARTNERS if {*pair} <= {*names}), ())
        found = {role: names.index(name) for role, name in zip(("sentence1", "sentence2"), both, strict=False)}
    for role, about in roles.items():
        if role in settled or role in found:
            continue
        free = (names.index(name) for name in about.names if name in names)
        place = next((at for at in free if at not in taken and at not in found.values()), None)
        if place is not None:
            found[role] = place
    return found
