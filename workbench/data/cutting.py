"""Splits lines into cells: at tabs, commas, semicolons or double bars, as JSON objects, behind labels, or not at all."""

import csv
import json
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence

from workbench.data.cells import is_number
from workbench.data.columns import is_header, is_known

JSON = "{"
"""The value of `delimiter` for files in which each line is a JSON object."""
BARS = "||"
"""The delimiter of CNSD's files."""
LABELLED = "__label__"
"""The value of `delimiter` for fastText's files, in which each line is one or more labels with this mark, then a text."""
TEXTS = ("anchor", "positive", "negative")
"""The names of the texts on a line that is a JSON list of them."""
Field = tuple[str, ...]
"""The name of a field of a JSON object, or its name within an object and that object's."""
QUOTED_CHARACTERS = 1_000_000
"""A quoted cell that is not closed within so many characters counts as a stray quote."""
_QUOTED_CELLS = 2
"""So many cells with commas, all in quotes, say that quotes are not part of the text."""
_MOST = 0.9
_LABELS = re.compile(rf"\s*((?:{LABELLED}\S+\s+)*{LABELLED}\S+)(?:\s+|$)")
csv.field_size_limit(2**31 - 1)  # no limit here: the reader decides how much of a long cell counts


def objects(sample: Sequence[str]) -> dict[str, Field]:
    """The fields of a file with one JSON object, or a list of texts, per line, in order of appearance, by the names of their
    columns; empty if the file is something else.

    >>> objects(['{"id": 1, "labels": {"label": 3.7}}'])
    {'id': ('id',), 'label': ('labels', 'label')}
    """
    lines = [line for line in sample if line.strip()]
    if not lines or not lines[0].lstrip().startswith((JSON, "[")):
        return {}
    begins = lines[0].lstrip()[0]
    found = [one for line in lines if line.lstrip()[0] == begins and (one := json_object(line)) is not None]
    if len(found) < _MOST * len(lines):
        return {}
    fields = dict.fromkeys(field for one in found for field in _fields(one))
    objects_of = {name for name in {field[0] for field in fields if len(field) > 1} if _is_object(name, found)}
    return titled(field for field in fields if (len(field) > 1) == (field[0] in objects_of))


def _is_object(name: str, rows: Iterable[dict[str, object]]) -> bool:
    """Whether a field holds an object in at least half of the rows that have a value for it."""
    there = [value for row in rows if (value := row.get(name)) not in (None, "")]
    return sum(isinstance(value, dict) for value in there) >= 0.5 * len(there)


def titled(fields: Iterable[Field]) -> dict[str, Field]:
    """Fields by the names of their columns: their own names, or with those of their objects where several have the same.

    >>> titled([("id",), ("labels", "label"), ("more", "id")])
    {'id': ('id',), 'label': ('labels', 'label'), 'more.id': ('more', 'id')}
    """
    fields = list(fields)
    alike = Counter(field[-1] for field in fields)
    return {field[-1] if alike[field[-1]] == 1 else ".".join(field): field for field in fields}


def value_of(row: object, field: Field) -> object:
    """The value of a field; None if there is none.

    >>> value_of({"labels": {"label": 3}}, ("labels", "label")), value_of({"labels": None}, ("labels", "label"))
    (3, None)
    """
    for name in field:
        row = row.get(name) if isinstance(row, dict) else None
    return row


def _fields(row: dict[str, object]) -> Iterator[Field]:
    for name, value in row.items():
        if isinstance(value, dict) and value:
            yield from ((name, inner) for inner in value)
        else:
            yield (name,)


def is_tab_table(sample: Sequence[str]) -> bool:
    """Whether lines are rows of a tab-separated table: the first has two known names, or 90 % have equally many tabs.

    >>> is_tab_table(["pair_ID\\tsentence_A\\tsentence_B", "1\\tA dog.\\tA cat."])
    True
    >>> is_tab_table(["One text.", "Another\\ttext."])
    False
    """
    rows = [line.split("\t") for line in sample if line.strip()]
    if not rows:
        return False
    if _names(rows[0]) >= 2:
        return True
    width, count = Counter(map(len, rows)).most_common(1)[0]
    return width >= 2 and len(rows) >= 2 and count >= _MOST * len(rows)


def is_bar_table(sample: Sequence[str]) -> bool:
    """Whether 90 % of the lines have equally many cells between double bars, and more than one.

    >>> is_bar_table(["0||A dog.||A cat.||1", "1||A bus.||A car.||3"]), is_bar_table(["a || b", "c"])
    (True, False)
    """
    rows = [line.count(BARS) for line in sample if line.strip()]
    bars, count = Counter(rows).most_common(1)[0] if rows else (0, 0)
    return bars > 0 and len(rows) >= 2 and count >= _MOST * len(rows)


def is_labelled(sample: Sequence[str]) -> bool:
    """Whether 90 % of the lines are labels and a text as in fastText's files.

    >>> is_labelled(["__label__ham See you.", "__label__spam Win."]), is_labelled(["A __label__ is a word."])
    (True, False)
    """
    lines = [line for line in sample if line.strip()]
    return bool(lines) and sum(map(bool, map(_LABELS.match, lines))) >= _MOST * len(lines)


def labels_and_text(line: str) -> list[str]:
    """The labels of a line in fastText's form, with a space between two, and its text.

    >>> labels_and_text("__label__2 Great: I like it."), labels_and_text("__label__a __label__b x"), labels_and_text("x")
    (['2', 'Great: I like it.'], ['a b', 'x'], ['', 'x'])
    """
    found = _LABELS.match(line)
    if found is None:
        return ["", line]
    return [" ".join(label.removeprefix(LABELLED) for label in found[1].split()), line[found.end() :]]


def told_delimiter(
    sample: Sequence[str], name: str, *, header: bool | None = None, rest: Sequence[str] = ()
) -> tuple[str, str]:
    """The delimiter (tab, comma, semicolon or `BARS`), and a notice for the user or an empty string. `rest` are the lines
    after the sample with the end of a quoted cell, see `closing`.

    A delimiter whose first row has at least two known column names wins, otherwise the one that gives the most rows the
    same number of cells. The delimiter is empty (each line is one text) if none gives two columns in at least 60 % of
    the rows, or if the commas look like punctuation. `header`: whether the first row is known to name the columns.
    """
    found: list[tuple[float, int, str]] = []
    numbered = [(row, line) for row, line in enumerate(sample, 1) if line.strip()]
    notice = ""
    for preference, delimiter in enumerate("\t,;"):
        whole = [*numbered, *enumerate(rest if delimiter != "\t" else (), len(sample) + 1)]
        records = [cells for _, cells in cut(iter(whole), delimiter) if isinstance(cells, list)]
        if not records or (delimiter == "," and _decimal_commas([line for _, line in numbered])):
            continue
        if len(records[0]) >= 2 and _names(records[0]) >= 2:
            return delimiter, ""
        width, count = Counter(map(len, records)).most_common(1)[0]
        if delimiter == "\t" and (several := sum(len(cells) >= 2 for cells in records)) >= _MOST * len(records):
            width, count = max(2, width), several  # rows may have extra columns at the end, as STS-B's do
        if width < 2 or count < 0.6 * len(records):
            continue
        if delimiter != "\t" and not header and _is_prose(records, [line for _, line in numbered], delimiter):
            sign = "commas" if delimiter == "," else "semicolons"
            notice = (
                f"{name} was read as one text per line: it has no header and no quotes, and its {sign} look like prose."
            )
        else:
            found.append((count / len(records), -preference, delimiter))
    if found:
        return max(found)[2], ""
    if is_bar_table(sample):
        return BARS, ""
    # A single quoted column is still a table: the quotes are not part of the text.
    quoted = sum(1 for _, line in numbered if line.startswith('"') and line.rstrip().endswith('"'))
    if name.casefold().endswith((".csv", ".csv.gz")) and quoted:
        return ",", ""
    return "", notice


_CELL = re.compile(r'(?:"([^"\t]*(?:""[^"\t]*)*)"|([^"\t\n]*))(\t|\n|$)')
"""A cell between tabs: in quotes, with those inside doubled, or without any."""


def is_quoted(lines: Sequence[str]) -> bool:
    """Whether the cells of a tab-separated table are in quotes where they need them, as spreadsheets write them.

    Tables of sentences have quotes that belong to the text, so the evidence must be strong: no cell has a quote but those
    well-formed in quotes, and either one of these has doubled quotes inside, or commas occur in several of these and nowhere
    else.

    >>> is_quoted(['4\\t"Yes, it rains."\\tIt rains.', '3\\t"No, ""never""."\\tNever.'])
    True
    >>> is_quoted(['4\\t"Yes, it rains."\\tYes, it does.']), is_quoted(['4\\t"Yes."\\tHe said "no".'])
    (False, False)
    """
    text = "\n".join(lines)
    doubled, with_comma, plain_comma, at = False, 0, False, 0
    while at <= len(text):
        cell = _CELL.match(text, at)
        if cell is None:
            return False
        inside, plain, _ = cell.groups()
        if inside is not None:
            doubled, with_comma = doubled or '""' in inside, with_comma + ("," in inside)
        else:
            plain_comma = plain_comma or "," in plain
        at = cell.end() + (not cell[3])
    return doubled or (with_comma >= _QUOTED_CELLS and not plain_comma)


def _names(cells: Sequence[str]) -> int:
    return sum(map(is_known, cells))


def _decimal_commas(lines: Sequence[str]) -> bool:
    """Whether lines are cut by semicolons, and every comma is that of a number, as spreadsheets in many languages write them.

    >>> _decimal_commas(["Es regnet.;Es gießt.;3,5"]), _decimal_commas(["It rains, it pours.;A dog.;3,5"])
    (True, False)
    """
    cut_by_semicolons = sum(";" in line for line in lines) >= _MOST * len(lines)
    return cut_by_semicolons and not any(re.search(r"(?<!\d),|,(?!\d)", line) for line in lines)


def _is_prose(records: Sequence[Sequence[str]], lines: Sequence[str], delimiter: str) -> bool:
    """Whether rows are sentences that happen to contain the delimiter.

    That is: no header, no quoting, no column of numbers, and either the number of cells varies or every delimiter is
    followed by a space, as in prose.
    """
    quoted = re.compile(rf'(?:^|{delimiter})"(?:[^"]|"")*"(?:{delimiter}|$)')
    if any(quoted.search(line) for line in lines) or is_header(records[0], records[1:]):
        return False
    for place in (0, -1):
        if sum(is_number(cells[place]) for cells in records) >= _MOST * len(records):
            return False
    if len({len(cells) for cells in records}) > 1:
        return True
    return all(cell.startswith(" ") for cells in records for cell in cells[1:])


def cut(
    lines: Iterator[tuple[int, str]], delimiter: str, fields: Sequence[Field] = (), *, quoted: bool = False
) -> Iterator[tuple[int, list[str] | str]]:
    """Yields (line number, cells) for each row, or (line number, the line) for a row that cannot be split.

    A row cannot be split if a quote is never closed or if it is not a JSON object; reading continues with the next
    line. `fields` are those to take from JSON objects. `quoted`: whether cells between tabs may be in quotes too.
    """
    if not delimiter:
        yield from ((row, [line]) for row, line in lines)
    elif delimiter == BARS or (delimiter == "\t" and not quoted):
        yield from ((row, line.split(delimiter)) for row, line in lines)
    elif delimiter == JSON:
        for row, line in lines:
            one = json_object(line)
            if one is not None:
                yield row, [_cell(value_of(one, field)) for field in fields]
            else:
                yield row, line if line.strip() else []
    elif delimiter == LABELLED:
        yield from ((row, labels_and_text(line) if line.strip() else []) for row, line in lines)
    else:
        # The csv module would take a carriage return within a row for its end, so it becomes a space.
        yield from _quoted(((row, line.replace("\r", " ")) for row, line in lines), delimiter)


def json_object(line: str) -> dict[str, object] | None:
    """The JSON object on a line, or that of a list of two or three texts, see `TEXTS`; None if it is something else."""
    try:
        # Numbers stay strings, exactly as written: parsing would turn 4.50 into 4.5 and 1e400 into infinity.
        found = json.loads(line, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict):
        return found
    # A score must not pass for a text, so numbers are numbers here.
    texts = json.loads(line, parse_int=float) if isinstance(found, list) else []
    if not (2 <= len(texts) <= len(TEXTS) and all(isinstance(text, str) for text in texts)):
        return None
    return dict(zip(TEXTS, texts, strict=False))


def _cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _quoted(lines: Iterator[tuple[int, str]], delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    again: deque[tuple[int, str]] = deque()
    while True:
        row, line = again.popleft() if again else next(lines, (0, ""))
        if not row:
            return
        if '"' not in line:
            yield row, line.split(delimiter)
            continue
        later: list[tuple[int, str]] = []
        cells, is_open = _cells(line, delimiter)
        size = len(line)
        while is_open and size < QUOTED_CHARACTERS:
            following = again.popleft() if again else next(lines, (0, ""))
            if not following[0]:
                break
            later.append(following)
            size += 1 + len(following[1])
            if '"' in following[1]:
                end, is_open = _cells(f'"{following[1]}', delimiter)  # the line goes on within a quoted cell
                if end:
                    cells, _ = _cells("\n".join([line, *(text for _, text in later)]), delimiter)
        if cells is None and not (later or is_open):
            cells = next(csv.reader([line], delimiter=delimiter), [])  # a stray quote inside a cell is kept as it is
        if cells is None:
            again.extendleft(reversed(later))
            yield row, line
        else:
            yield row, cells


def closing(sample: Sequence[str], later: Iterator[str]) -> list[str]:
    """The lines after a sample up to the one at which its quotes are closed; none if they are, or stay open.

    >>> closing(['text,n', '"one'], iter(["two", 'three",1', "four,2"]))
    ['two', 'three",1']
    """
    found: list[str] = []
    quotes, size = sum(line.count('"') for line in sample), 0
    while quotes % 2:
        line = next(later, None)
        if line is None or size >= QUOTED_CHARACTERS:
            return []
        found.append(line)
        quotes, size = quotes + line.count('"'), size + 1 + len(line)
    return found


def _cells(record: str, delimiter: str) -> tuple[list[str] | None, bool]:
    """Cells by RFC 4180 (None if the record is malformed), and whether a quoted cell is still open at the end."""
    try:
        return next(csv.reader([record], delimiter=delimiter, strict=True)), False
    except csv.Error as error:
        return None, "unexpected end" in str(error)
