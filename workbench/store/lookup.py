"""Finds the runs of a folder. Kept free of heavy imports, since every list of runs uses it."""

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from workbench.core import paths
from workbench.core.errors import BadRun, unknown
from workbench.store import names
from workbench.store.names import RunsFolder
from workbench.store.run import Run

NEWEST = 500
"""How many runs lists and choices have unless more are asked for: each is looked up on the disk."""


def all_runs(
    folder: RunsFolder,
    newest: int | None = None,
    also: Collection[str] = (),
    search: str = "",
    without: Collection[str] = (),
) -> list[Run]:
    """The runs of a folder, newest first. Folders with neither a configuration nor events are not runs.

    With `newest` only so many, and those in `also`; with `search` only those whose ids have each of its words; none of those
    in `without`.
    """
    every, words = folder.newest_names(), search.casefold().split()
    if without:
        every = tuple(name for name in every if name not in without)
    if words:
        every = tuple(name for name in every if all(word in name for word in words))
    if newest is not None:
        wanted = set(also)
        every = (*every[:newest], *(name for name in every[newest:] if name in wanted))
    root = f"{folder.path}{os.sep}"
    return [Run(folder.path / name) for name in every if _is_run(root + name)]


def _is_run(folder: str) -> bool:
    return os.path.exists(f"{folder}/{names.CONFIG}") or os.path.exists(f"{folder}/{names.EVENTS}")  # noqa: PTH110 - as texts


def find(folder: RunsFolder, name: str | Path | Run) -> Run:
    """The run that `name` stands for: a run, its folder, its id, a unique beginning of its id, or its label.

    Raises:
        BadRun: several runs match.
        UnknownName: no run matches; the message has the nearest ids.
    """
    if isinstance(name, Run):
        return name
    path = Path(name)
    if len(path.parts) > 1 and (found := paths.existing(path / names.CONFIG)):
        return Run(found.parent.resolve())
    text = str(name)
    if names.is_id(text) and (folder.path / text / names.CONFIG).exists():
        return Run(folder.path / text)
    every = folder.newest_names()
    root = f"{folder.path}{os.sep}"
    for ids in (
        [run_id for run_id in every if run_id == text],
        [run_id for run_id in every if run_id.startswith(text)],
        [run_id for run_id in every if _may_name(root + run_id, text) and Run(folder.path / run_id).name == text],
    ):
        matches = [run_id for run_id in ids if _is_run(root + run_id)]
        if len(matches) == 1:
            return Run(folder.path / matches[0])
        if len(matches) > 1:
            listed = ", ".join(matches[:4])
            raise BadRun(f"{text!r} matches {len(matches)} runs.", way_out=f"Write the whole id: {listed}.")
    raise unknown("run", text, every)


def _may_name(folder: str, label: str) -> bool:
    """Whether the files that hold a run's label have the longest word of `label`: checking a configuration takes a
    hundred times as long as reading it.
    """
    word = max(re.split("[^a-zA-Z0-9]+", label), key=len)
    return any(word in text for text in _texts(folder, names.CONFIG, names.ANNOTATIONS))


def _texts(folder: str, *files: str) -> Iterator[str]:
    for file in files:
        try:
            with open(f"{folder}/{file}", encoding="utf-8", errors="replace") as opened:  # noqa: PTH123 - as texts
                yield opened.read()
        except OSError:
            continue


def mentioning(folder: RunsFolder, text: str) -> list[Run]:
    """The runs whose configuration has this text somewhere, newest first, found without checking each."""
    root = f"{folder.path}{os.sep}"
    every = folder.newest_names()
    return [
        Run(folder.path / name) for name in every if any(text in read for read in _texts(root + name, names.CONFIG))
    ]


def folder_of(run: Run) -> RunsFolder:
    """The runs folder that a run is in."""
    return RunsFolder(run.folder.parent)
