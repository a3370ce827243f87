"""The seven transfer tasks on disk: texts, or pairs of texts, with a class each; as tables, or as SentEval leaves them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from workbench.core import paths
from workbench.core.errors import BadData, unknown
from workbench.data.columns import LABEL, PARTNERS, SINGLE
from workbench.data.files import Cleaner, Dropped, examine, left_out, resolve_inside, why_dropped
from workbench.data.labels import labels
from workbench.data.layouts import forms, named_table
from workbench.data.pair_sets import PairSet


@dataclass(frozen=True)
class Task:
    """A benchmark: its title, the rows of its official splits (`all` where it has none), its classes, whether of pairs."""

    title: str
    splits: dict[str, int]
    classes: int = 2
    of_pairs: bool = False


# CR has 3,775 lines, four of which hold nothing; SST-2 trains on phrases and tests on whole sentences.
TASKS = {
    "mr": Task("MR", {"all": 10662}),
    "cr": Task("CR", {"all": 3771}),
    "subj": Task("SUBJ", {"all": 10000}),
    "mpqa": Task("MPQA", {"all": 10606}),
    "sst2": Task("SST-2", {"train": 67349, "dev": 872, "test": 1821}),
    "trec": Task("TREC", {"train": 5452, "test": 500}, classes=6),
    "mrpc": Task("MRPC", {"train": 4076, "test": 1725}, of_pairs=True),
}
"""In the order in which the literature prints them."""

_ABOVE = ("", "downstream", "data/downstream")
_HALVES = {
    "mr": ("MR/rt-polarity.neg", "MR/rt-polarity.pos"),
    "cr": ("CR/custrev.neg", "CR/custrev.pos"),
    "subj": ("SUBJ/subj.subjective", "SUBJ/subj.objective"),
    "mpqa": ("MPQA/mpqa.neg", "MPQA/mpqa.pos"),
}
"""SentEval's files of one class each, a text a line: of class 0, then of class 1."""
_SENTEVAL = {
    ("trec", "train"): "TREC/train_5500.label",
    ("trec", "test"): "TREC/TREC_10.label",
    ("mrpc", "train"): "MRPC/msr_paraphrase_train.txt",
    ("mrpc", "test"): "MRPC/msr_paraphrase_test.txt",
    **{("sst2", split): f"SST/binary/sentiment-{split}" for split in ("train", "dev", "test")},
}

Row = tuple[int, str, str, str]
"""Line, label, text, second text."""


@dataclass(frozen=True)
class Classified:
    """One split of a task: row-aligned texts and the numbers of their classes. Of single texts `second` is empty."""

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
class TransferSet:
    """A task as it lies in a folder: its splits, the names of its classes, and what was met while reading."""

    task: str
    splits: dict[str, Classified]
    classes: tuple[str, ...]
    notices: list[str] = field(default_factory=list)

    @property
    def tested(self) -> Classified:
        """The texts whose classes are foretold: the test split, or all by folds where there is none."""
        return self.splits.get("test") or self.splits["all"]

    @property
    def official(self) -> bool:
        """Whether every split has as many rows, and the task as many classes, as published."""
        known = TASKS[self.task]
        sizes = {split: len(rows) for split, rows in self.splits.items()}
        return sizes == known.splits and len(self.classes) == known.classes

    def texts(self) -> list[str]:
        """The texts of all splits."""
        return [text for rows in self.splits.values() for text in rows.texts()]

    def as_pairs(self) -> PairSet:
        """What is tested as a pair set, for what counts sentences in one: a single text stands on both sides."""
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


def present(folder: str | Path, *, folders: Sequence[str | Path] | None = None) -> dict[str, dict[str, list[Path]]]:
    """For each task whose splits are all in `folder` the files of each. Nothing is read here.

    A table wins (`mr.tsv`, `sst2-train.csv`, `trec-test.jsonl.gz`; for SST-2 `sst2-train-phrases.tsv`, if it is there),
    then SentEval's own files.

    Raises:
        BadData: `folder` is none.
        OutsideFolders: it is outside `folders`.
    """
    base = resolve_inside(folder, folders)
    paths.check(base)
    if not base.is_dir():
        raise BadData(f"There is no folder {str(folder)!r}.", way_out="Name the folder that holds mr.tsv or MR/.")
    there = forms(base)
    found = {task: {split: _files(base, task, split, there) for split in known.splits} for task, known in TASKS.items()}
    return {task: files for task, files in found.items() if all(files.values())}


def _files(base: Path, task: str, split: str, there: Mapping[str, Path]) -> list[Path]:
    stems = [f"{task}-train-phrases"] if (task, split) == ("sst2", "train") else []
    stems += [task] if split == "all" else [f"{task}-{split}"]
    if table := named_table(there, stems):
        return [table]
    names = _HALVES.get(task, ()) if split == "all" else (_SENTEVAL[task, split],)
    around = ([base / above / name for name in names] for above in _ABOVE)
    return next((paths for paths in around if paths and all(path.is_file() for path in paths)), [])


def load_task(folder: str | Path, task: str, *, folders: Sequence[str | Path] | None = None) -> TransferSet:
    """One task with all of its splits.

    Raises:
        UnknownName: no such task.
        BadData: it is not in `folder`, or damaged.
    """
    if task not in TASKS:
        raise unknown("transfer task", task, TASKS)
    files = present(folder, folders=folders).get(task)
    if files is None:
        stems = ", ".join(task if split == "all" else f"{task}-{split}" for split in TASKS[task].splits)
        raise BadData(
            f"{task} is not in {folder}, or not whole.",
            rule=f"Tables {stems} (.tsv, .csv or .jsonl, also with .gz) with the columns label and "
            f"{'sentence1, sentence2' if TASKS[task].of_pairs else 'sentence'}, or SentEval's own files are expected.",
        )
    notices: list[str] = []
    rows = {split: _kept(task, split, paths, notices) for split, paths in files.items()}
    # All splits at once: a class has one number in all of them.
    numbers, classes, wrong = labels([label for kept in rows.values() for _, label, _, _ in kept], "label")
    if wrong:
        raise BadData(f"{task} cannot be used: {wrong}", way_out="Check the column.")
    splits, start = {}, 0
    for split, kept in rows.items():
        own = numbers[start : start + len(kept)]
        start += len(kept)
        if (own < 0).any():
            raise BadData(
                f"{task}:{split} has {int((own < 0).sum()):,} rows without a label.",
                rule="Every text needs one; test splits are often published without.",
                way_out="Take the files of SentEval.",
            )
        second = [two for _, _, _, two in kept] if TASKS[task].of_pairs else []
        splits[split] = Classified(task, split, [one for _, _, one, _ in kept], second, own)
        if len(kept) != TASKS[task].splits[split]:
            name = task if split == "all" else f"{task}:{split}"
            notices.append(f"{name} has {len(kept):,} rows here; the official set has {TASKS[task].splits[split]:,}.")
    if len(classes) != TASKS[task].classes:
        notices.append(f"{task} has {len(classes)} classes here; the official set has {TASKS[task].classes}.")
    return TransferSet(task, splits, classes, notices)


def _kept(task: str, split: str, paths: Sequence[Path], notices: list[str]) -> list[Row]:
    """The rows that have their texts; a notice for what was met.

    Raises:
        BadData: no table of texts and labels, or fewer than two rows.
    """
    cleaner, dropped, kept = Cleaner(), list[Dropped](), list[Row]()
    name = task if split == "all" else f"{task}:{split}"
    for row, label, one, two in _rows(task, paths, dropped):
        one, two = cleaner(one, row), cleaner(two, row)
        if one and (two or not TASKS[task].of_pairs):
            kept.append((row, label, one, two))
        else:
            dropped.append(Dropped(row, "no text", f"{label} {one} {two}"[:80]))
    if len(kept) < 2:
        raise BadData(f"{name} holds {len(kept)} usable rows.", rule="Two are needed.", got=why_dropped(dropped))
    notices += [f"{name}: {said}" for said in cleaner.notices()]
    notices += left_out(name, dropped)
    return kept


def _rows(task: str, paths: Sequence[Path], dropped: list[Dropped]) -> Iterator[Row]:
    """Line, label and texts as they stand in the files."""
    if len(paths) == 2:
        for own, path in zip("01", paths, strict=True):
            for row, [text] in examine(path, lines=True, line_feeds=True).rows(dropped):
                yield row, own, text, ""
    elif paths[0].suffix == ".label":
        for row, [line] in examine(paths[0], lines=True, line_feeds=True).rows(dropped):
            coarse, _, rest = line.partition(":")
            yield row, coarse, rest.partition(" ")[2], ""
    elif paths[0].name.startswith("sentiment-"):
        for row, [line] in examine(paths[0], lines=True, line_feeds=True).rows(dropped):
            text, _, label = line.rpartition("\t")
            yield row, label, text, ""
    else:
        yield from _table(task, paths[0], dropped)


def _table(task: str, path: Path, dropped: list[Dropped]) -> Iterator[Row]:
    file = examine(path, lines=False, line_feeds=True)
    names = [name.casefold() for name in file.header]
    label = next((names.index(name) for name in LABEL if name in names), None)
    sides = PARTNERS if TASKS[task].of_pairs else tuple((name, name) for name in SINGLE)
    wanted = [pair for pair in sides if set(pair) <= set(names)]
    if label is None or not wanted:
        raise BadData(
            f"{path.name} is no table of {task}.",
            rule=f"Its first row names the columns label and {'sentence1, sentence2' if TASKS[task].of_pairs else 'sentence'}.",
            got=", ".join(file.header) or "no names",
        )
    one, two = (names.index(name) for name in wanted[0])
    for row, cells in file.rows(dropped, needs=max(label, one, two) + 1):
        yield row, cells[label], cells[one], cells[two] if TASKS[task].of_pairs else ""
