"""Classification tasks in files: texts, or pairs of texts, with a class each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from workbench.core.errors import BadData
from workbench.data.cells import is_number
from workbench.data.cleaning import Cleaner
from workbench.data.columns import LABEL, PARTNERS, SINGLE, spelt, split_column
from workbench.data.dropped import Dropped, left_out, why_dropped
from workbench.data.files import examine
from workbench.data.labels import labels
from workbench.data.pair_sets import PairSet
from workbench.data.split_names import alike


@dataclass(frozen=True)
class Task:
    """A benchmark: its title, the rows of its official splits (`all` if it has none), its classes, whether of pairs."""

    title: str
    splits: Mapping[str, int]
    classes: int = 2
    of_pairs: bool = False

    @property
    def columns(self) -> str:
        """The names of its text columns in a table."""
        return "sentence1, sentence2" if self.of_pairs else "sentence"


YES = ("1", "true", "yes", "paraphrase", "duplicate", "equivalent", "same", "entailment", "positive")
"""Labels that mean that two texts say the same; the other label of such a table means that they do not."""


def same_class(names: Sequence[str]) -> int | None:
    """Which of several labels means that two texts say the same: the greater of two numbers, or the only one in `YES`; None if
    they do not tell.

    >>> same_class(["1", "2"]), same_class(["equivalent", "not_equivalent"]), same_class(["a", "b"])
    (1, 0, None)
    """
    if len(names) == 2 and all(map(is_number, names)):
        return max((0, 1), key=lambda at: float(names[at]))
    known = [at for at, name in enumerate(names) if name in YES]
    return known[0] if len(known) == 1 else None


Row = tuple[int, str, str, str]
"""Line, label, text, second text."""
Rows = Callable[[str, Task, str, Sequence[Path], list[Dropped]], Iterator[Row]]
"""`(task, published, split, paths, dropped)`: the rows of that split as they are in its files."""


@dataclass(frozen=True)
class Classified:
    """One split of a task: row-aligned texts and the numbers of their classes. `second` is empty for single texts."""

    task: str
    split: str
    first: list[str]
    second: list[str]
    classes: np.ndarray

    def __len__(self) -> int:
        return len(self.first)

    def texts(self) -> list[str]:
        """All texts: the first ones, then the second ones."""
        return [*self.first, *self.second]


@dataclass(frozen=True)
class ClassifiedSet:
    """A task read from a folder: its splits, the names of its classes, and what was noticed while reading."""

    task: str
    published: Task
    splits: dict[str, Classified]
    classes: tuple[str, ...]
    notices: list[str] = field(default_factory=list)

    @property
    def tested(self) -> Classified:
        """The texts whose classes are predicted: the test split, all by folds, or the dev split if no other has labels."""
        return next(self.splits[split] for split in ("test", "all", "dev") if split in self.splits)

    @property
    def official(self) -> bool:
        """Whether every split has as many rows, and the task as many classes, as published."""
        sizes = {split: len(rows) for split, rows in self.splits.items()}
        return sizes == self.published.splits and len(self.classes) == self.published.classes

    @property
    def same(self) -> int:
        """The class of pairs that say the same, of a task of pairs; the second where the labels do not tell."""
        found = same_class(self.classes)
        return 1 if found is None else found

    def texts(self) -> list[str]:
        """The texts of all splits."""
        return [text for rows in self.splits.values() for text in rows.texts()]

    def as_pairs(self) -> PairSet:
        """The tested texts as a pair set, to count sentences in it; a single text is on both sides."""
        rows = self.tested
        return PairSet(
            name=self.task,
            task=self.task,
            split=rows.split,
            scale=(0.0, float(len(self.classes) - 1)),
            subsets=[""] * len(rows),
            first=rows.first,
            second=rows.second or rows.first,
            gold=rows.classes.astype(np.float64),
            dropped=[],
        )


def loaders(
    tasks: Mapping[str, Task], files: Callable[[str, str], list[Path]], rows: Rows
) -> dict[str, Callable[[], ClassifiedSet]]:
    """For each task with files for every split, a function that reads it; `files(task, split)` is empty for an absent one."""
    paths_of = {task: {split: files(task, split) for split in published.splits} for task, published in tasks.items()}
    return {
        task: partial(read, task, tasks[task], paths, rows) for task, paths in paths_of.items() if all(paths.values())
    }


def read(task: str, published: Task, files: Mapping[str, Sequence[Path]], rows: Rows) -> ClassifiedSet:
    """A task from the files of each of its splits.

    Raises:
        BadData: damaged, or rows without a label.
    """
    notices: list[str] = []
    kept = {split: _usable(task, published, split, paths, rows, notices) for split, paths in files.items()}
    # All splits at once: a class has one number in all of them.
    numbers, classes, wrong = labels([label for split in kept.values() for _, label, _, _ in split], "label")
    if wrong:
        raise BadData(f"{task} cannot be used: {wrong}", way_out="Check the column.")
    splits, start = {}, 0
    for split, usable in kept.items():
        part = numbers[start : start + len(usable)]
        start += len(usable)
        if split == "test" and "dev" in splits and (part < 0).all():
            notices.append(
                f"{_named(task, split)} is published without labels here: the dev split is tested in its place, with the "
                "regulariser chosen by folds of the training split."
            )
            continue
        if (part < 0).any():
            raise BadData(
                f"{_named(task, split)} has {int((part < 0).sum()):,} rows without a label.",
                rule="Every text needs one; test splits are often published without.",
                way_out="Use the files of SentEval.",
            )
        second = [two for _, _, _, two in usable] if published.of_pairs else []
        splits[split] = Classified(task, split, [one for _, _, one, _ in usable], second, part)
        if len(usable) != published.splits[split]:
            notices.append(
                f"{_named(task, split)} has {len(usable):,} rows here; the official set has {published.splits[split]:,}."
            )
    if len(classes) != published.classes:
        notices.append(f"{task} has {len(classes)} classes here; the official set has {published.classes}.")
    return ClassifiedSet(task, published, splits, classes, notices)


def _named(task: str, split: str) -> str:
    """A split in a sentence."""
    return task if split == "all" else f"{task}:{split}"


def _usable(task: str, published: Task, split: str, paths: Sequence[Path], rows: Rows, notices: list[str]) -> list[Row]:
    """The rows that have their texts; `notices` gets a sentence for each problem.

    Raises:
        BadData: no table of texts and labels, or fewer than two rows.
    """
    cleaner, dropped, kept = Cleaner(), list[Dropped](), list[Row]()
    name = _named(task, split)
    for row, label, one, two in rows(task, published, split, paths, dropped):
        one, two = cleaner(one, row), cleaner(two, row)
        if one and (two or not published.of_pairs):
            kept.append((row, label, one, two))
        else:
            dropped.append(Dropped(row, "no text", f"{label} {one} {two}"[:80]))
    if len(kept) < 2:
        raise BadData(f"{name} holds {len(kept)} usable rows.", rule="Two are needed.", got=why_dropped(dropped))
    notices += [f"{name}: {notice}" for notice in cleaner.notices()]
    notices += left_out(name, dropped)
    return kept


def kims_rows(path: Path, dropped: list[Dropped]) -> Iterator[Row]:
    """The rows of a file with a label, a space and a text on each line."""
    for row, [line] in examine(path, lines=True, line_feeds=True).rows(dropped):
        label, _, text = line.partition(" ")
        yield row, label, text, ""


def sentiment_rows(path: Path, dropped: list[Dropped]) -> Iterator[Row]:
    """The rows of SentEval's SST: a text, a tab and a label on each line."""
    for row, [line] in examine(path, lines=True, line_feeds=True).rows(dropped):
        text, _, label = line.rpartition("\t")
        yield row, label, text, ""


def table_rows(
    task: str, published: Task, paths: Sequence[Path], dropped: list[Dropped], *, only: str = ""
) -> Iterator[Row]:
    """The rows of a table whose first row names the columns; of one with all splits, `only` those of that split. A test split
    may have no labels, as GLUE's.

    Raises:
        BadData: no label column, no text column, or with `only` none of splits.
    """
    file = examine(paths[0], lines=False, line_feeds=True)
    names = [*map(spelt, file.header)]
    label = next((names.index(name) for name in LABEL if name in names), None)
    sides = PARTNERS if published.of_pairs else tuple((name, name) for name in SINGLE)
    wanted = [pair for pair in sides if set(pair) <= set(names)]
    if not wanted or (label is None and not paths[0].name.casefold().partition(".")[0].endswith("test")):
        raise BadData(
            f"{paths[0].name} is not a table of {task}.",
            rule=f"Its first row names the columns label and {published.columns}.",
            got=", ".join(file.header) or "no names",
        )
    one, two = (names.index(name) for name in wanted[0])
    file.check_single([one, two, *([] if label is None else [label])])
    at = split_column(file.header) if only else None
    if only and at is None:
        raise BadData(
            f"{paths[0].name} does not say which rows are for training and which for the test.",
            rule="A table with all splits names them in a column split or SemEval_set.",
            got=", ".join(file.header),
        )
    for row, cells in file.rows(dropped, needs=max(label or 0, one, two, at or 0) + 1):
        if at is not None and cells[at].strip().casefold() not in alike(only):
            continue
        yield row, "" if label is None else cells[label], cells[one], cells[two] if published.of_pairs else ""
