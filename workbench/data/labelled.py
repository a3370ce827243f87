"""Labelled texts in a folder: tables of splits, a file of labels beside one of texts, or a folder of texts for each label.

Texts and labels line by line are published as `train_text.txt` and `train_labels.txt` (TweetEval, whose `mapping.txt` names
the labels), `train/seq.in` and `train/label` (SNIPS, ATIS), `title_StackOverflow.txt` and `label_StackOverflow.txt`, or
`Biomedical.txt` and `Biomedical_gnd.txt`. A folder of texts for each label is the form of 20 Newsgroups and IMDB.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from os import DirEntry, scandir
from pathlib import Path

from workbench.core.errors import BadData
from workbench.core.unicode import whole
from workbench.data.cleaning import Cleaner
from workbench.data.competitions import without_end
from workbench.data.dropped import Dropped, left_out, why_dropped
from workbench.data.encodings import told_encoding
from workbench.data.files import examine
from workbench.data.layouts import forms, named_table
from workbench.data.split_names import alike, split_in, split_of
from workbench.data.tables import LABELLED_TEXTS, read_table

_FILES = ("", ".txt", ".in")
"""Endings of files of texts and of labels, a line each."""
_LABELS = frozenset(("label", "labels", "gnd"))
_TEXTS = frozenset(("text", "texts", "title", "seq", ""))
_NAMES = "mapping.txt"
_WHOLE = ("", ".txt")
"""Endings of files that are a text each."""
_SPLITS = ("train", "dev", "test")
_OF_A_LABEL = 20
"""So many files on average make folders those of labels."""
_TEXT_BYTES = 1_000_000
"""A longer file is no single text."""


@dataclass(frozen=True)
class Labelled:
    """Row-aligned texts, labels and groups (empty without any), and what was noticed while reading."""

    texts: list[str]
    labels: list[str]
    groups: list[str]
    notices: list[str] = field(default_factory=list)
    column: str = "label"
    """The column of the labels."""

    def __len__(self) -> int:
        return len(self.texts)


Parts = dict[str, Callable[[], Labelled]]
"""The splits of a task, train, dev and test, each with a function that reads it; `""` is a task without splits."""


def labelled_in(folder: Path) -> dict[str, Parts]:
    """For each task of labelled texts in a folder, its parts. No file is opened here."""
    return _by_lines(folder) or _by_tables(folder) or _by_folders(folder)


def _by_tables(folder: Path) -> dict[str, Parts]:
    """The one task of the tables called by its splits."""
    there = forms(folder)
    parts: Parts = {}
    for split in _SPLITS:
        texts = (folder / f"{name}.txt" for name in alike(split))
        path = named_table(there, alike(split)) or next((path for path in texts if path.is_file()), None)
        if path:
            parts[split] = partial(_of_table, path)
    return {whole(folder.name): parts} if "train" in parts and len(parts) > 1 else {}


def _of_table(path: Path) -> Labelled:
    table = read_table(path, None, LABELLED_TEXTS)
    cells = table.cells
    return Labelled(cells["text"], cells["label"], table.optional("group"), table.notices, table.columns["label"])


def _by_lines(folder: Path) -> dict[str, Parts]:
    """The tasks whose labels stand in a file of their own, in `folder` or in folders of its splits."""
    texts: dict[tuple[str, str], list[Path]] = {}
    labels: dict[tuple[str, str], list[Path]] = {}
    splits = [one for one in _entries(folder) if split_of(one.name) and one.is_dir()]
    for inner, inside in [(folder, ""), *((Path(one.path), split_of(one.name)) for one in splits)]:
        for path in (Path(one.path) for one in _entries(inner) if one.is_file()):
            if path.suffix in _FILES and path.name != _NAMES:
                words = re.split(r"[_\-.\s]+", path.name.removesuffix(path.suffix).casefold())
                split = split_in(path.name.removesuffix(path.suffix)) or inside
                task = "_".join(word for word in words if word not in _LABELS | _TEXTS and not split_of(word))
                (texts if _LABELS.isdisjoint(words) else labels).setdefault((task, split), []).append(path)
    found: dict[str, Parts] = {}
    for (task, split), files in sorted(labels.items()):
        beside = texts.get((task, split), [])
        if len(files) == len(beside) == 1:
            found.setdefault(whole(task or folder.name), {})[split] = partial(_line_by_line, beside[0], files[0])
    return found


def _by_folders(folder: Path) -> dict[str, Parts]:
    """The one task with a folder of texts for each label: in `folder`, or in those of its splits."""
    splits = {split_of(re.split(r"[_-]", one.name)[-1]): Path(one.path) for one in _entries(folder) if one.is_dir()}
    bases = {split: splits[split] for split in _SPLITS if split in splits} if "train" in splits else {}
    files = {split: _texts_of_labels(base) for split, base in bases.items()}
    files = {split: of for split, of in files.items() if of}
    if len(files) < 2:
        bases, files = {"": folder}, {"": _texts_of_labels(folder)}
    labels = set[str].intersection(*map(set, files.values()))
    if len(labels) < 2 or any(
        sum(len(of[label]) for label in labels) < _OF_A_LABEL * len(labels) for of in files.values()
    ):
        return {}
    return {
        whole(folder.name): {split: partial(_file_by_file, bases[split], of, labels) for split, of in files.items()}
    }


def _texts_of_labels(base: Path) -> dict[str, list[Path]]:
    """The files of each folder in one, by its name: the folders that have none but files of texts."""
    found: dict[str, list[Path]] = {}
    for inner in _entries(base):
        files = _entries(inner.path) if inner.is_dir() else []
        if files and all(Path(one.name).suffix in _WHOLE and one.is_file() for one in files):
            found[inner.name] = [Path(one.path) for one in files]
    return found


def _entries(folder: Path | str) -> list[DirEntry[str]]:
    """What is in a folder, in the order of names, without hidden files; nothing if it cannot be read."""
    try:
        with scandir(folder) as entries:
            return sorted((one for one in entries if not one.name.startswith(".")), key=attrgetter("name"))
    except OSError:
        return []


def _line_by_line(texts: Path, labels: Path) -> Labelled:
    """Texts with the labels on the same lines of another file.

    Raises:
        BadData: the numbers of lines do not match, or fewer than two rows are usable.
    """
    files = [examine(path, lines=True, header=False, line_feeds=True) for path in (texts, labels)]
    lines, marks = ([line for _, [line] in file.rows()] for file in files)
    if len(lines) != len(marks):  # empty lines at the end of one of them, perhaps
        lines, marks = without_end(lines), without_end(marks)
    if len(lines) != len(marks):
        raise BadData(
            f"{texts.name} and {labels.name} do not belong together.",
            rule="Each text has its label on the same line of the other file.",
            got=f"{len(lines):,} lines of texts and {len(marks):,} of labels",
            way_out="Download both files again.",
        )
    names = _named_labels(labels.parent / _NAMES)
    known = bool(names) and {mark.strip() for mark in marks} <= {"", *names}
    cleaner, dropped, kept = Cleaner(), list[Dropped](), Labelled([], [], [])
    for row, (line, mark) in enumerate(zip(lines, marks, strict=True), 1):
        text, label = cleaner(line, row), mark.strip()
        if text and label:
            kept.texts.append(text)
            kept.labels.append(names[label] if known else label)
            kept.groups.append("")
        else:
            dropped.append(Dropped(row, f"no {'label' if text else 'text'}", f"{label} {text}".strip()[:80]))
    notices = [f"{texts.name}: its labels are the lines of {labels.name}{', named by ' + _NAMES if known else ''}."]
    notices += [notice for file in files for notice in file.notices]
    return _checked(kept, texts.name, notices, cleaner, dropped)


def _named_labels(path: Path) -> dict[str, str]:
    """The names of labels in a file with a number, a tab and a name on each line; none if it is something else."""
    if not path.is_file():
        return {}
    try:
        cells = [line.split("\t") for _, [line] in examine(path, lines=True, header=False).rows() if line.strip()]
    except BadData:
        return {}
    return {cell[0].strip(): cell[1].strip() for cell in cells} if all(len(cell) == 2 for cell in cells) else {}


def _file_by_file(base: Path, files: dict[str, list[Path]], labels: Iterable[str]) -> Labelled:
    """The texts of the folders called `labels`, each the whole of a file.

    Raises:
        BadData: fewer than two files are usable.
    """
    cleaner, dropped, kept = Cleaner(), list[Dropped](), Labelled([], [], [])
    encodings: Counter[str] = Counter()
    row = 0
    for label in sorted(labels):
        for path in files[label]:
            row += 1
            try:
                text = cleaner(_whole_text(path, encodings), row)
            except (BadData, OSError) as error:
                dropped.append(Dropped(row, "not a text", f"{label}/{path.name}: {error}"[:80]))
                continue
            if text:
                kept.texts.append(text)
                kept.labels.append(whole(label))
                kept.groups.append("")
            else:
                dropped.append(Dropped(row, "no text", f"{label}/{path.name}"[:80]))
    notices = [f"{base.name}: each file is a text, and its label is the name of its folder."]
    if others := sorted({*files} - {*labels}):
        notices.append(f"{base.name}: left out is what only one split has: {', '.join(others[:6])}.")
    notices += [
        f"{base.name}: {count:,} file{'s are' if count > 1 else ' is'} not UTF-8; read as {encoding}."
        for encoding, count in encodings.most_common()
    ]
    return _checked(kept, base.name, notices, cleaner, dropped)


def _whole_text(path: Path, encodings: Counter[str]) -> str:
    """The text of a file; `encodings` counts those that are not UTF-8.

    Raises:
        BadData: it is too long, or no text.
        OSError: it cannot be read.
    """
    if path.stat().st_size > _TEXT_BYTES:
        raise BadData(f"{path.name} is longer than {_TEXT_BYTES // 1_000_000} MB.")
    content = path.read_bytes()
    if not content.strip():
        return ""
    encoding, _ = told_encoding(content, path.name)
    if not encoding.startswith("utf-8"):
        encodings[encoding] += 1
    return content.decode(encoding, "replace")


def _checked(kept: Labelled, name: str, notices: list[str], cleaner: Cleaner, dropped: list[Dropped]) -> Labelled:
    """The rows with their notices.

    Raises:
        BadData: fewer than two.
    """
    if len(kept) < 2:
        raise BadData(f"{name} holds too few usable rows.", rule="Two are needed.", got=why_dropped(dropped))
    kept.notices.extend([*notices, *cleaner.notices(), *left_out(name, dropped)])
    return kept
