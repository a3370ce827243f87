"""Finds the runs of a folder. Kept free of heavy imports, since every list of runs uses it."""

import os
import re
from collections.abc import Collection
from pathlib import Path

from workbench.core import paths
from workbench.core.errors import BadRun, unknown
from workbench.store import names
from workbench.store.names import RunsFolder
from workbench.store.run import Run

NEWEST = 500
"""How many runs lists and choices have unless more are asked for: each is looked up on the disk."""
_MOST_BYTES = 1 << 16
"""Read of a file to be searched. Configurations have a few thousand; making a larger buffer takes longer than reading them."""
_NAME = re.compile(rb"^\s*name\s*=.*", re.MULTILINE)
_NEAREST = 5
"""Most runs that a message names."""


def all_runs(
    folder: RunsFolder,
    newest: int | None = None,
    also: Collection[str] = (),
    without: Collection[str] = (),
) -> list[Run]:
    """The runs of a folder, newest first. Folders with neither a configuration nor events are not runs.

    With `newest` only so many, and those in `also`; none of those in `without`.
    """
    every = folder.newest_names()
    if without:
        every = tuple(name for name in every if name not in without)
    if newest is not None:
        wanted = set(also)
        every = (*every[:newest], *(name for name in every[newest:] if name in wanted))
    root = f"{folder.path}{os.sep}"
    return [Run(folder.path / name) for name in every if _is_run(root + name)]


def _is_run(folder: str) -> bool:
    return os.path.exists(f"{folder}/{names.CONFIG}") or os.path.exists(f"{folder}/{names.EVENTS}")  # noqa: PTH110 - as texts


def find(folder: RunsFolder, name: str | Path | Run) -> Run:
    """The run that `name` stands for: a run, its folder, its id, a unique beginning of its id, its label, or else a unique
    end of its id from a hyphen on, such as the id without its date, which pages and figures show.

    Raises:
        BadRun: several runs match.
        UnknownName: no run matches; the message has the nearest ids.
    """
    if isinstance(name, Run):
        return name
    if not isinstance(name, str | Path):
        raise unknown("run", name, folder.newest_names())
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
        labelled(folder, text),
        [run_id for run_id in every if run_id.endswith(f"-{text}")],
    ):
        matches = [run_id for run_id in ids if _is_run(root + run_id)]
        if len(matches) == 1:
            return Run(folder.path / matches[0])
        if len(matches) > 1:
            listed = ", ".join(matches[:4])
            raise BadRun(f"{text!r} matches {len(matches)} runs.", way_out=f"Write the whole id: {listed}.")
    raise unknown("run", text, every, most=_NEAREST)


def labelled(folder: RunsFolder, label: str) -> list[str]:
    """The ids of the runs with this label, the newest first."""
    root, written = f"{folder.path}{os.sep}", _written(label)
    return [
        run_id
        for run_id in folder.newest_names()
        if _may_name(root + run_id, written) and Run(folder.path / run_id).name == label
    ]


def _written(label: str) -> bytes:
    """What of a label stands in a file as it is: quotation marks and backslashes are escaped."""
    return max(re.split(r'["\\]', label), key=len).encode("utf-8", "surrogatepass")


def _may_name(folder: str, written: bytes) -> bool:
    """Whether the files of a run may give it the label with this in it: checking them takes a hundred times as long as
    reading. Whoever edits one may escape any character, so a backslash stands for all.
    """

    def within(text: bytes) -> bool:
        return written in text or b"\\" in text

    config = _bytes(f"{folder}/{names.CONFIG}")
    return (within(config) and any(map(within, _NAME.findall(config)))) or within(
        _bytes(f"{folder}/{names.ANNOTATIONS}")
    )


def _bytes(file: str) -> bytes:
    """The beginning of a small file; empty if there is none."""
    try:
        opened = os.open(file, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(opened, _MOST_BYTES)
    except OSError:
        return b""
    finally:
        os.close(opened)


def mentioning(folder: RunsFolder, text: str) -> list[Run]:
    """The runs whose configuration has this text somewhere, newest first, found without checking each."""
    root, wanted = f"{folder.path}{os.sep}", text.encode("utf-8", "surrogatepass")
    return [
        Run(folder.path / name) for name in folder.newest_names() if wanted in _bytes(f"{root}{name}/{names.CONFIG}")
    ]


def folder_of(run: Run) -> RunsFolder:
    """The runs folder that a run is in."""
    return RunsFolder(run.folder.parent)
