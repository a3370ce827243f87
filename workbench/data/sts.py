"""The seven STS sets on disk: tables (`sts12.tsv`, `stsb-test.csv`), or files as their authors and SentEval leave them."""

from collections.abc import Sequence
from pathlib import Path

from workbench.core import paths
from workbench.core.errors import BadData, unknown
from workbench.data.files import resolve_inside
from workbench.data.layouts import Loader, forms, splits, tables
from workbench.data.pair_sets import PairSet
from workbench.data.tasks import TASKS, Task, own_split

__all__ = ["TASKS", "Loader", "Task", "load_task", "present"]


def present(folder: str | Path, *, folders: Sequence[str | Path] | None = None) -> dict[str, dict[str, Loader]]:
    """For each task found in `folder` its splits, each with a function that reads it. Nothing is read here.

    Of several files for one split a plain table wins, then SentEval's and other authors' own, then a table of another
    form: see `workbench.data.layouts`.

    Raises:
        BadData: `folder` is none.
        OutsideFolders: it is outside `folders`.
    """
    base = resolve_inside(folder, folders)
    paths.check(base)
    if not base.is_dir():
        raise BadData(f"There is no folder {str(folder)!r}.", way_out="Name the folder that holds sts12.tsv or STS/.")
    there = forms(base)
    return {task: found for task in TASKS if (found := splits(base, task, there))}


def load_task(
    folder: str | Path, task: str, split: str = "test", *, folders: Sequence[str | Path] | None = None
) -> PairSet:
    """One split of one task; `dev`, `validation` and `trial` are names of one.

    Raises:
        UnknownName: no such task, or the task has no such split.
        BadData: it is not in `folder`, or damaged.
    """
    if task not in TASKS:
        raise unknown("STS task", task, TASKS)
    split = own_split(task, split)
    if split not in TASKS[task].splits:
        raise unknown(f"split of {task}", split, TASKS[task].splits)
    found = present(folder, folders=folders)
    if split not in found.get(task, {}):
        there = ", ".join(f"{name}:{part}" for name, parts in found.items() for part in parts)
        raise BadData(
            f"{task}:{split} is not in {folder}.",
            rule=f"A table {tables(task, split)[0]} (or .csv or .jsonl, also with .gz), or SentEval's own files are expected.",
            got=there or "no STS set at all",
        )
    return found[task][split]()
