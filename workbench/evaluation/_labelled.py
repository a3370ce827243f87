"""Labelled texts and labelled pairs: from a table of one's own, or the published classification tasks in a folder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from workbench.core.errors import BadData
from workbench.core.unicode import whole
from workbench.data.labelled import Parts, labelled_in
from workbench.data.labels import UNLABELLED
from workbench.data.pair_sets import PairSet
from workbench.data.sources import task_folder
from workbench.data.split_names import alike
from workbench.data.tables import LABELLED_PAIRS, LABELLED_TEXTS, read_table, table_of
from workbench.data.unnamed import MOST_CLASSES
from workbench.evaluation import transfer
from workbench.evaluation._classified import YES, ClassifiedSet, same_class

NO_LITERATURE = "the protocol is the workbench's own, without published numbers"
TEXT_TASKS = {name: about.title for name, about in transfer.TASKS.items() if not about.of_pairs}
PAIR_TASKS = {name: about.title for name, about in transfer.TASKS.items() if about.of_pairs}


@dataclass(frozen=True)
class LabelledTexts:
    """Texts with a class and a group each. `tested` marks the rows to test on; where it is None, none are set apart."""

    task: str
    rows: list[str]
    classes: np.ndarray
    names: tuple[str, ...]
    groups: list[str]
    tested: np.ndarray | None
    notices: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rows)

    def texts(self) -> list[str]:
        """All texts."""
        return self.rows

    def as_pairs(self) -> PairSet:
        """Each tested text on both sides, scored by its class."""
        kept = [text for text, there in zip(self.rows, self._shown, strict=True) if there]
        scale = (0.0, float(len(self.names) - 1))
        return _pair_set(self.task, kept, kept, self.classes[self._shown].astype(np.float64), scale)

    @property
    def _shown(self) -> np.ndarray:
        return np.ones(len(self), bool) if self.tested is None else self.tested


@dataclass(frozen=True)
class LabelledPairs:
    """Pairs with whether both texts say the same. A threshold is chosen on the first `chosen` pairs and tested on the others."""

    task: str
    first: list[str]
    second: list[str]
    same: np.ndarray
    groups: list[str]
    chosen: int
    notices: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.first)

    def texts(self) -> list[str]:
        """All texts: the first ones, then the second ones."""
        return [*self.first, *self.second]

    def as_pairs(self) -> PairSet:
        """The tested pairs, scored 1 or 0."""
        at = slice(self.chosen, None)
        return _pair_set(self.task, self.first[at], self.second[at], self.same[at].astype(np.float64), (0.0, 1.0))


def _pair_set(task: str, first: list[str], second: list[str], gold: np.ndarray, scale: tuple[float, float]) -> PairSet:
    """Pairs of a task that is no STS set, to count its sentences."""
    return PairSet(task, task, "test", scale, [""] * len(first), first, second, gold, [])


def texts_present(
    source: str | Path, *, folders: Sequence[str | Path] | None = None
) -> dict[str, Callable[[], LabelledTexts]]:
    """The one task of a table of texts and labels; in a folder, the published classification tasks of single texts, or those that
    `labelled_in` finds.

    Raises:
        BadData: `source` is neither a file nor a folder.
        OutsideFolders: it is outside `folders`.
    """
    if named := table_of(source, folders):
        return {_own_name(named[0]): partial(_own_texts, *named)}
    published = transfer.present(source, folders=folders)
    if not published:
        found = labelled_in(task_folder(source, folders, "train.csv and test.csv"))
        return {task: partial(_texts_of_parts, task, parts) for task, parts in found.items()}
    return {task: partial(_published_texts, published[task]) for task in TEXT_TASKS if task in published}


def pairs_present(
    source: str | Path, *, folders: Sequence[str | Path] | None = None
) -> dict[str, Callable[[], LabelledPairs]]:
    """The one task of a table of pairs and labels; in a folder, the published classification tasks of pairs.

    Raises:
        BadData: `source` is neither a file nor a folder.
        OutsideFolders: it is outside `folders`.
    """
    if named := table_of(source, folders):
        return {_own_name(named[0]): partial(_own_pairs, *named)}
    published = transfer.present(source, folders=folders)
    return {task: partial(_published_pairs, published[task]) for task in PAIR_TASKS if task in published}


def _own_name(path: Path) -> str:
    """The name of the task of a table, which is none of a published one."""
    return whole(path.name if path.stem in transfer.TASKS else path.stem)


def _published_texts(load: Callable[[], ClassifiedSet]) -> LabelledTexts:
    read = load()
    splits = read.splits.values()
    tested = None
    if len(read.splits) > 1:
        tested = np.concatenate([np.full(len(rows), rows is read.tested) for rows in splits])
    texts = [text for rows in splits for text in rows.first]
    classes = np.concatenate([rows.classes for rows in splits])
    return LabelledTexts(read.task, texts, classes, read.classes, [""] * len(texts), tested, read.notices)


def _published_pairs(load: Callable[[], ClassifiedSet]) -> LabelledPairs:
    read = load()
    train, test = read.splits["train"], read.tested
    same = np.concatenate([train.classes, test.classes]) == read.same
    first, second = [*train.first, *test.first], [*train.second, *test.second]
    return LabelledPairs(read.task, first, second, same, [""] * len(first), len(train), read.notices)


def _own_texts(path: Path, chosen: str | None) -> LabelledTexts:
    table = read_table(path, chosen, LABELLED_TEXTS)
    classes, names = classes_of(table.cells["label"], table.columns["label"])
    splits, notices = table.optional("split"), list(table.notices)
    tested = np.array([split.casefold() in alike("test") for split in splits])
    if any(splits) and (not tested.any() or tested.all()):
        raise BadData(
            f"{path.name}: column {table.columns['split']} does not distinguish training rows from test rows.",
            rule="The rows to test on are those called test.",
            got=", ".join(sorted(set(splits))[:6]),
            way_out="Rename them, or leave the column out: split=none.",
        )
    return LabelledTexts(
        _own_name(path),
        table.cells["text"],
        classes,
        names,
        table.optional("group"),
        tested if any(splits) else None,
        notices,
    )


def _texts_of_parts(task: str, parts: Parts) -> LabelledTexts:
    """A task by its splits: the training split to learn from, and test, or else dev, to test on; or all of it."""
    tested = "test" if "test" in parts else "dev"
    names = ["train", tested] if {"train", tested} <= {*parts} else [*parts][:1]
    read = [parts[name]() for name in names]
    classes, labels = classes_of([label for part in read for label in part.labels], read[0].column)
    notices = [notice for part in read for notice in part.notices]
    if names[1:] == ["dev"]:
        notices.append(f"{task}: there is no test split; the dev split is tested.")
    return LabelledTexts(
        task,
        [text for part in read for text in part.texts],
        classes,
        labels,
        [group for part in read for group in part.groups],
        np.arange(len(classes)) >= len(read[0]) if len(read) > 1 else None,
        notices,
    )


def classes_of(cells: Sequence[str], column: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """The class number of each label, and the labels in sorted order; case is ignored.

    Raises:
        BadData: one class only, or more than `MOST_CLASSES`.

    >>> classes_of(["b", "A", "B"], "topic")[0].tolist()
    [1, 0, 1]
    """
    words = [cell.casefold() for cell in cells]
    names = tuple(sorted(set(words)))
    if not 2 <= len(names) <= MOST_CLASSES:
        raise BadData(
            f"Column {column} does not hold classes.",
            rule=f"It has 2 to {MOST_CLASSES} different labels.",
            got=f"{len(names):,}",
            way_out="Assign another column: label=COLUMN.",
        )
    number = {name: at for at, name in enumerate(names)}
    return np.array([number[word] for word in words], np.int64), names


def _own_pairs(path: Path, chosen: str | None) -> LabelledPairs:
    table = read_table(path, chosen, LABELLED_PAIRS)
    same = same_of(table.cells["label"], table.columns["label"])
    splits, notices = table.optional("split"), list(table.notices)
    tested = np.array([split.casefold() in alike("test") for split in splits])
    if any(splits) and tested.any() and not tested.all():
        early = np.array([split.casefold() in (*alike("train"), *alike("dev")) for split in splits])
        order = [*np.flatnonzero(early), *np.flatnonzero(tested)]
        size = int(early.sum())
        if lost := sorted({split for split, used in zip(splits, early | tested, strict=True) if not used}):
            others = ", ".join(split or "(empty)" for split in lost)
            notices.append(f"{path.name}: {len(table) - len(order):,} rows of other splits ({others}) are left out.")
    else:
        order, size = list(range(len(table))), len(table) // 2
        notices.append(f"{path.name}: the threshold is chosen on the first {size:,} pairs and tested on the others.")
    halves = same[order[:size]], same[order[size:]]
    if any(len(set(half.tolist())) < 2 for half in halves):
        raise BadData(
            f"{path.name}: the pairs to choose a threshold on, or those to test, all have one label.",
            rule="Both need pairs that say the same and pairs that do not.",
            way_out="Shuffle the rows, or name dev and test rows in a column split.",
        )
    first, second, groups = table.cells["sentence1"], table.cells["sentence2"], table.optional("group")
    return LabelledPairs(
        _own_name(path),
        [first[row] for row in order],
        [second[row] for row in order],
        same[order],
        [groups[row] for row in order],
        size,
        notices,
    )


def same_of(cells: Sequence[str], column: str) -> np.ndarray:
    """Whether each label means that the texts say the same, by `same_class`.

    Raises:
        BadData: not two labels, or two words of which not exactly one is known.

    >>> same_of(["0", "1", "1"], "label").tolist(), same_of(["other", "Duplicate"], "label").tolist()
    ([False, True, True], [False, True])
    """
    words = [cell.casefold() for cell in cells]
    names = sorted(set(words) - set(UNLABELLED[:1]))
    same = same_class(names)
    if len(names) != 2 or same is None:
        raise BadData(
            f"Column {column} does not distinguish pairs that mean the same from others.",
            rule=f"It has two labels: 0 and 1, or two words one of which is {', '.join(YES[1:7])}.",
            got=", ".join(names[:6]),
            way_out="Assign another column: label=COLUMN.",
        )
    return np.array([word == names[same] for word in words])


def worst_first(
    groups: Sequence[str], score: Callable[[np.ndarray], Mapping[str, object] | None], by: str
) -> list[dict[str, object]]:
    """A row for each group, the worst first, from `score(rows)`, None where it is undefined; none with one group."""
    names = sorted({group for group in groups if group})
    cells = np.array(groups)
    if len(names) < 2:
        return []
    scored = [{"group": name, **row} for name in names if (row := score(np.flatnonzero(cells == name)))]
    return sorted(scored, key=lambda row: float(str(row[by])))
