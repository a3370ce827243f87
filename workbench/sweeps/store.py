"""The saved sweeps of a runs folder: the cells of each, and the run of each cell."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.config import Value
from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import BadSetting, unknown
from workbench.scheduler.following import has_ended
from workbench.store import names, shapes
from workbench.store.fitting import read_rows, read_whole
from workbench.store.names import RunsFolder
from workbench.store.run import Run
from workbench.sweeps.cells import Cell
from workbench.sweeps.results import results, summary

if TYPE_CHECKING:
    from pandas import DataFrame

INDEX = "runs.jsonl"


@dataclass(frozen=True)
class Sweep:
    """A grid or a tournament, as it was last planned."""

    folder: RunsFolder = field(repr=False)
    id: str
    kind: str
    title: str
    over: dict[str, tuple[Value, ...]]
    cells: tuple[Cell, ...] = field(repr=False)
    asked: Mapping[str, object] = field(repr=False)
    """Recipe, backbone, corpus, official, changes: what all cells have in common."""
    time: float = 0.0

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds, in order."""
        return tuple(sorted({cell.seed for cell in self.cells}))

    @property
    def runs(self) -> dict[str, Run]:
        """Existing runs by the key of their cell."""
        known = _index(self.folder)
        ids = {cell.key: known[cell.key] for cell in self.cells if cell.key in known}
        root = f"{self.folder.path}{os.sep}"
        return {key: Run(self.folder.path / run) for key, run in ids.items() if _exists(root, run)}

    @property
    def live(self) -> bool:
        """Whether one of its runs is waiting or running, or may still be queued again by itself."""
        return any(not has_ended(run) for run in self.runs.values())

    @property
    def states(self) -> dict[str, int]:
        """The number of cells in each state; `missing` for those without a run."""
        runs = self.runs
        counts: dict[str, int] = {}
        for cell in self.cells:
            state = runs[cell.key].state if cell.key in runs else "missing"
            counts[state] = counts.get(state, 0) + 1
        return counts

    @property
    def failures(self) -> dict[str, list[Run]]:
        """The runs that ended with an error, by its message."""
        found: dict[str, list[Run]] = {}
        for run in self.runs.values():
            if failure := run.failure:
                found.setdefault(failure[1] or failure[0], []).append(run)
        return found

    def results(self, measure: str = "spearman", *, pairs: str = "", checkpoint: str = "best") -> "DataFrame":
        """One row per cell: its axes, seed, run, state, value, untrained; see `workbench.sweeps.results.results`."""
        return results(self, measure, pairs=pairs, checkpoint=checkpoint)

    def summary(self, measure: str = "spearman", *, pairs: str = "", checkpoint: str = "best") -> "DataFrame":
        """One row per setting over its seeds, with significant differences; see `workbench.sweeps.results.summary`."""
        return summary(self, measure, pairs=pairs, checkpoint=checkpoint)


def everything(folder: RunsFolder) -> list[Sweep]:
    """All sweeps of a folder, newest first. Damaged files are skipped.

    Raises:
        BadRun: their folder may not be read.
    """
    with names.files_explained(folder.path):
        # Not `glob`, for which one that may not be read is empty.
        listed = folder.sweeps.iterdir() if folder.sweeps.is_dir() else ()
        read = [_read(folder, path) for path in listed if path.suffix == ".json"]
    return sorted((sweep for sweep in read if sweep), key=lambda sweep: -sweep.time)


def find(folder: RunsFolder, name: str) -> Sweep:
    """The sweep that `name` stands for: its id, a unique beginning of its id, or its title.

    Raises:
        BadSetting: several sweeps match.
        UnknownName: there is none; names the nearest.
    """
    known = {sweep.id: sweep for sweep in everything(folder)}
    titled = [sweep.id for sweep in known.values() if sweep.title == name]
    begun = [sweep_id for sweep_id in known if name and sweep_id.startswith(name)]
    for matches in ([name] if name in known else [], begun, titled):
        if len(matches) == 1:
            return known[matches[0]]
        if matches:
            listed = ", ".join(matches[:4])
            raise BadSetting(f"{name!r} matches {len(matches)} sweeps.", way_out=f"Write the whole id: {listed}.")
    raise unknown("sweep", name, known)


@disk_errors_explained()
def delete(folder: RunsFolder, name: str) -> None:
    """Delete a sweep. Its runs are kept, and planning the same sweep again finds them.

    Raises:
        UnknownName: there is no such sweep.
        BadSetting: several sweeps match.
        BadRun: its file cannot be removed.
    """
    (folder.sweeps / f"{find(folder, name).id}.json").unlink()


def written(sweep: Sweep) -> dict[str, object]:
    """The content of the file of a sweep."""
    whole = {name: getattr(sweep, name) for name in ("id", "kind", "title", "over", "asked", "time")}
    return {**whole, "cells": [[cell.axes, cell.seed, cell.key] for cell in sweep.cells]}


def _read(folder: RunsFolder, path: Path) -> Sweep | None:
    raw = read_whole(path, shapes.Sweep)
    if raw is None:
        return None
    cells = tuple(Cell(*cell) for cell in raw["cells"])
    over = {axis: tuple(values) for axis, values in raw["over"].items()}
    return Sweep(folder, path.stem, raw["kind"], raw["title"], over, cells, raw["asked"], raw["time"])


def _index(folder: RunsFolder) -> dict[str, str]:
    """The run of each cell by key; of several, the last."""
    path = folder.sweeps / INDEX
    try:
        about = path.stat()
    except OSError:
        return {}
    return _indexed(path, about.st_mtime_ns, about.st_size)


@lru_cache(4)
def _indexed(path: Path, _mtime_ns: int, _size: int) -> dict[str, str]:
    """Cached by date and size: a page looks at the runs of a sweep many times."""
    return {row["cell"]: row["run"] for row in read_rows(path, shapes.Indexed)}


def _exists(root: str, run: str) -> bool:
    return names.is_id(run) and os.path.exists(f"{root}{run}/{names.CONFIG}")  # noqa: PTH110 - of ten thousand runs
