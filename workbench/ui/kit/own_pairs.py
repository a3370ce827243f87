"""Pairs of one's own: typed, pasted or uploaded wherever pairs are chosen, and kept in the runs folder."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core import writing
from workbench.core.errors import BadData, WorkbenchError
from workbench.data.cells import is_number
from workbench.data.columns import with_scale
from workbench.data.files import TextFile, examine
from workbench.data.pair_sets import PairSet, read_pairs
from workbench.store import names
from workbench.ui.kit.notices import trouble
from workbench.ui.kit.words import count, plain

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

MOST_SIGNS = 200_000
"""Most characters that can be typed."""
MOST_PAIRS = 20_000
"""Most pairs of an upload: each is encoded by every target chosen."""
_UPLOAD_MB = 10
_MOST_NAMED = 3
"""Most lines left out that a message names."""
_TYPED = "typed pairs"
_LONGEST = 60
"""Most characters of a name."""


def own_pairs(key: str, *, several: bool = False) -> None:
    """A popover in which pairs can be typed or uploaded; the choice called `key`, which may hold `several`, then names them."""
    with st.popover("Your own pairs …", help="Type, paste or upload sentence pairs with a score each."):
        st.text_area(
            "One pair a line: two sentences and a score",
            key=f"{key}.own.typed",
            height=150,
            max_chars=MOST_SIGNS,
            persist_state="session",
            placeholder="A man plays the flute. | A man is playing an instrument. | 3.8\n"
            "It rains. | The economy is growing. | 0",
            help="Separated by tabs, as pasted from a spreadsheet, or by `|`. Scores may have any scale; higher means more "
            "similar.",
        )
        st.file_uploader(
            f"Or a file with the same, {_UPLOAD_MB} MB at most",
            type=["tsv", "csv", "txt", "jsonl", "json", "parquet", "xml", "gz"],
            max_upload_size=_UPLOAD_MB,
            key=f"{key}.own.file",
        )
        st.text_input(
            "Name",
            key=f"{key}.own.name",
            max_chars=_LONGEST,
            persist_state="session",
            placeholder=f"that of the file, or {_TYPED}",
            help="How they are named next to every score.",
        )
        message = st.session_state.get(f"{key}.own.message")
        if isinstance(message, WorkbenchError):
            trouble(message)
        elif message:
            st.caption(plain(message))
        st.button("Use these pairs", key=f"{key}.own.use", on_click=_use, args=(key, several))


def stored_pairs() -> list[str]:
    """The files of such pairs, and of pairs that people rated here."""
    folder = names.runs_folder().own_pairs
    return sorted(map(str, folder.glob("*.tsv")), key=str.casefold) if folder.is_dir() else []


def own_name(pairs: str) -> str:
    """The display name of pairs that were typed or uploaded; empty for any other reference.

    >>> own_name("/runs/.corpora/pairs/tickets.tsv"), own_name("demo:dev")
    ('tickets.tsv', '')
    """
    path = Path(pairs)
    return path.name if path.parent.parts[-2:] == names.runs_folder().own_pairs.parts[-2:] else ""


def _use(key: str, several: bool) -> None:
    state = st.session_state
    try:
        file, typed = state.get(f"{key}.own.file"), state.get(f"{key}.own.typed") or ""
        if file is not None and typed.strip():
            raise BadData(
                f"Typed pairs and a file, {file.name}, are both given.",
                rule="One of them is used at a time.",
                way_out="Clear the box, or remove the file.",
            )
        pairs = _read(typed, file)
        path = _store(pairs, state.get(f"{key}.own.name") or (file.name if file else _TYPED))
    except WorkbenchError as error:
        state[f"{key}.own.message"] = error
        return
    state[f"{key}.own.message"] = _used(pairs, path.name)
    state[f"{key}.own.name"] = ""  # the next pairs are others
    if not several:
        state[key] = str(path)
    elif str(path) not in (chosen := list(state.get(key) or [])):
        state[key] = [*chosen, str(path)]


def _used(pairs: PairSet, name: str) -> str:
    """What was taken and what was left out, by line."""
    lost = [f"line {row.row} ({row.reason})" for row in pairs.dropped if row.text.strip()]
    more = f" and {count(len(lost) - _MOST_NAMED)} more" if len(lost) > _MOST_NAMED else ""
    left_out = f" Left out: {', '.join(lost[:_MOST_NAMED])}{more}." if lost else ""
    low, high = pairs.scale
    # What was left out stands here by line, the scale is said, and the columns of the box are those it asks for.
    said = re.compile(r"^The scale of the scores is |^The box |: [\d,]+ rows? (was|were) left out \(")
    others = [notice for notice in pairs.notices if not said.search(notice)]
    used = f"{name}: {count(len(pairs))} pairs are used, with scores from {low:g} to {high:g}.{left_out}"
    several = len(set(pairs.subsets))
    return " ".join([used, *others, *([f"They are in {count(several)} subsets."] if several > 1 else [])])


def _read(typed: str, file: "UploadedFile | None") -> PairSet:
    """The pairs of the file, or else those typed.

    Raises:
        BadData: there are none, too many, or none that can be used.
    """
    if file is not None:
        table = examine(file.getvalue(), name=file.name, lines=False, line_feeds=True)
        pairs = read_pairs(table, columns=_columns(table))
    elif typed.strip():
        pairs = _read_typed(typed)
    else:
        raise BadData("There are no pairs yet.", way_out="Type some in the box, or choose a file.")
    if len(pairs) > MOST_PAIRS:
        raise BadData(
            f"There are {len(pairs):,} pairs.",
            rule=f"At most {MOST_PAIRS:,} can be uploaded.",
            way_out="Put the file into a folder that pages may read, and type its path.",
        )
    return pairs


def _read_typed(typed: str) -> PairSet:
    """The pairs in typed lines; if they cannot be told, the first line that is to blame is named.

    Raises:
        BadData: there are none that can be used.
    """
    lines = list(map(_tabbed, typed.splitlines()))
    # Three columns each, so that a short line does not decide what the columns are.
    padded = [line + "\t" * (2 - line.count("\t")) if line.strip() else "" for line in lines]
    try:
        table = examine("\n".join(padded).encode("utf-8", "surrogatepass"), name="The box", lines=False)
        return read_pairs(table, columns=_columns(table))
    except BadData:
        wrong = next(filter(None, (_why_not(line) for line in enumerate(lines, 1))), "")
        if not wrong:
            raise
        raise BadData(
            wrong,
            rule="Each line has two sentences and a score, separated by tabs or by `|`, and at least two lines are needed.",
            way_out="Nothing was lost: correct the line, and use the pairs again.",
        ) from None


def _why_not(numbered: tuple[int, str]) -> str:
    """Why a line is no pair with a score; empty if it is one, or blank.

    >>> _why_not((2, "It rains.\\tIt pours.")), _why_not((3, "It rains.\\tIt pours.\\t4"))
    ('Line 2 has 2 parts.', '')
    """
    number, line = numbered
    parts = [part.strip() for part in line.split("\t")]
    if not line.strip():
        return ""
    if len(parts) < 3:
        return f"Line {number} has {len(parts)} part{'s' * (len(parts) > 1)}."
    return "" if any(map(is_number, parts)) else f"Line {number} has no score: none of its parts is a number."


def _columns(table: TextFile) -> dict[str, str | int] | None:
    """Of three columns without names, the last of numbers is the score, however short the sentences; else None."""
    whole = [row for row in table.preview if len(row) == 3 and all(cell.strip() for cell in row)]
    if table.header or table.columns != 3:
        return None
    numbers = [place for place in range(3) if all(is_number(row[place].strip()) for row in whole)]
    if not numbers or not whole:
        return None
    first, second = (place + 1 for place in range(3) if place != numbers[-1])
    return {"score": numbers[-1] + 1, "sentence1": first, "sentence2": second}


def _tabbed(line: str) -> str:
    """A typed line as one of a table: the Tab key leaves the box, so bars separate as well.

    >>> _tabbed("It rains. | It pours. | 4"), _tabbed("a|b\\tc\\t1")
    ('It rains.\\tIt pours.\\t4', 'a|b\\tc\\t1')
    """
    return line if "\t" in line else "\t".join(part.strip() for part in line.split("|"))


def _store(pairs: PairSet, name: str) -> Path:
    """Store the pairs in the runs folder under this name; with a number, if others have it, since scores are told apart by it."""
    columns = [map(repr, pairs.gold.tolist()), pairs.first, pairs.second]
    head = [with_scale("score", pairs.scale), "sentence1", "sentence2"]
    if any(pairs.subsets):
        columns.append([" ".join(subset.split()) for subset in pairs.subsets])
        head.append("subset")
    lines = map("\t".join, [head, *zip(*columns, strict=True)])
    content = ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")
    folder, stem = names.runs_folder().own_pairs, _stem(name)
    number = 1
    while True:
        path = folder / f"{stem}{f' {number}' if number > 1 else ''}.tsv"
        if not path.exists():
            writing.write_bytes(path, content)
        if path.read_bytes() == content:
            return path
        number += 1


def _stem(name: str) -> str:
    """A name, or that of a file, as that of a file without ending: no character that means something in a path or a reference.

    >>> _stem("tickets, May #2.csv"), _stem("../.ssh/id"), _stem("猫の文.jsonl.gz"), _stem("...")
    ('tickets May 2', 'ssh id', '猫の文', 'typed pairs')
    """
    whole = re.sub(r"(?i)(\.(tsv|csv|txt|jsonl|json|parquet|xml))?(\.gz)?$", "", name.strip())
    words = re.sub(r"[^\w.()+-]+", " ", whole)
    return words[:_LONGEST].strip(" .-") or _TYPED
