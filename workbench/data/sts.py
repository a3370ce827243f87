"""STS sets on disk, the seven and those in other languages: tables (`sts12.tsv`, `stsb-test.csv`), or the original files of
their authors and SentEval.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from workbench.core.errors import BadData, unknown
from workbench.data.layouts import Loader, forms, splits, tables
from workbench.data.pair_sets import PairSet, joined
from workbench.data.sources import task_folder
from workbench.data.tasks import KNOWN, TASKS, Task, own_split

EVERY = "all"
"""The name of all splits of a task together."""

__all__ = ["KNOWN", "TASKS", "Loader", "Task", "load_task", "present"]


def present(
    folder: str | Path, *, folders: Sequence[str | Path] | None = None, tasks: Iterable[str] = tuple(TASKS)
) -> dict[str, dict[str, Loader]]:
    """For each of `tasks` found in `folder`, its splits, each with a function that reads it. No file is opened here.

    If a split has several files, a plain table takes precedence, then the original files of SentEval and the authors,
    then a table in another form: see `workbench.data.layouts`.

    Raises:
        BadData: `folder` is not a folder.
        OutsideFolders: it is outside `folders`.
    """
    own = "Scored pairs of your own are no task: compare --pairs FILE, or the field Scored pairs on Compare."
    base = task_folder(folder, folders, "sts12.tsv or STS/", of_files=own)
    there = forms(base)
    return {task: found for task in tasks if (found := splits(base, task, there))}


def load_task(
    folder: str | Path, task: str, split: str = "test", *, folders: Sequence[str | Path] | None = None
) -> PairSet:
    """The pairs of one split of a task, on the scale of the task; `dev`, `validation` and `trial` mean the same split, and `all`
    every split of the task, one after another, as published alignment and uniformity are measured on STS-B.

    Raises:
        UnknownName: there is no such task, or the task has no such split.
        BadData: the split, or for `all` one of them, is not in `folder`, or damaged.
        OutsideFolders: `folder` is outside `folders`.
    """
    if task not in KNOWN:
        raise unknown("STS task", task, KNOWN)
    if split == EVERY:
        return joined(
            [load_task(folder, task, part, folders=folders) for part in KNOWN[task].splits], f"{task}:{EVERY}", EVERY
        )
    split = own_split(task, split)
    if split not in KNOWN[task].splits:
        raise unknown(f"split of {task}", split, KNOWN[task].splits)
    found = present(folder, folders=folders, tasks=KNOWN)
    if split not in found.get(task, {}):
        there = ", ".join(f"{name}:{part}" for name, parts in found.items() for part in parts)
        raise BadData(
            f"{task}:{split} is not in {folder}.",
            rule=f"A table {tables(task, split)[0]} (or .csv or .jsonl, also with .gz), or SentEval's own files are expected.",
            got=there or "no STS set at all",
        )
    return found[task][split]()
