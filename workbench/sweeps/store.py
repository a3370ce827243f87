"""The sweeps of a runs folder: which cells each has, and which run is which cell."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.config import Value
from workbench.core.errors import unknown
from workbench.store import names, shapes
from workbench.store.names import RunsFolder
from workbench.store.run import Run
from workbench.sweeps.cells import Cell
from workbench.sweeps.results import results, summary

if TYPE_CHECKING:
    from pandas import DataFrame

INDEX = "runs.jsonl"


@dataclass(frozen=True)
class Sweep:
    """A grid or a tournament, as it was last asked for."""

    folder: RunsFolder = field(repr=False)
    id: str
    kind: str
    title: str
    over: dict[str, tuple[Value, ...]]
    cells: tuple[Cell, ...] = field(repr=False)
    asked: dict[str, Any] = field(repr=False)
    """Recipe, backbone, corpus, official, changes: what all cells have in common."""
    time: float = 0.0

    @property
    def seeds(self) -> tuple[int, ...]:
        """In order."""
        return tuple(sorted({cell.seed for cell in self.cells}))

    @property
    def runs(self) -> dict[str, Run]:
        """The runs that exist, by the key of their cell."""
        known = _index(self.folder)
        found = {cell.key: known[cell.key] for cell in self.cells if cell.key in known}
        return {key: Run(self.folder.path / run) for key, run in found.items() if _there(self.folder, run)}

    @property
    def live(self) -> bool:
        """Whether one of its runs waits or is worked on."""
        return any(run.live for run in self.runs.values())

    @property
    def states(self) -> dict[str, int]:
        """How many cells are in which state; `missing` are those without a run."""
        there = self.runs
        found: dict[str, int] = {}
        for cell in self.cells:
            state = there[cell.key].state if cell.key in there else "missing"
            found[state] = found.get(state, 0) + 1
        return found

    def results(self, measure: str = "spearman", *, pairs: str = "", checkpoint: str = "best") -> "DataFrame":
        """One row a cell: its axes, seed, run, state, value; see `workbench.sweeps.results`."""
        return results(self, measure, pairs=pairs, checkpoint=checkpoint)

    def summary(self, measure: str = "spearman", *, pairs: str = "", checkpoint: str = "best") -> "DataFrame":
        """One row a setting over its seeds, with what differs beyond noise; see `workbench.sweeps.results`."""
        return summary(self, measure, pairs=pairs, checkpoint=checkpoint)


def everything(folder: RunsFolder) -> list[Sweep]:
    """All sweeps of a folder, the last asked for first. Damaged files are left out."""
    found = [_read(folder, path) for path in folder.sweeps.glob("*.json")] if folder.sweeps.is_dir() else []
    return sorted((sweep for sweep in found if sweep), key=lambda sweep: -sweep.time)


def find(folder: RunsFolder, name: str) -> Sweep:
    """The sweep of this id.

    Raises:
        UnknownName: with the nearest.
    """
    known = {sweep.id: sweep for sweep in everything(folder)}
    if name not in known:
        raise unknown("sweep", name, known)
    return known[name]


def delete(folder: RunsFolder, name: str) -> None:
    """Forget which runs belong together. The runs stay, and the same sweep asked for again finds them.

    Raises:
        UnknownName: there is none.
    """
    (folder.sweeps / f"{find(folder, name).id}.json").unlink()


def written(sweep: Sweep) -> dict[str, Any]:
    """A sweep as its file has it."""
    whole = {name: getattr(sweep, name) for name in ("id", "kind", "title", "over", "asked", "time")}
    return {**whole, "cells": [[cell.axes, cell.seed, cell.key] for cell in sweep.cells]}


def _read(folder: RunsFolder, path: Path) -> Sweep | None:
    raw = shapes.read_whole(path, shapes.Sweep)
    if raw is None:
        return None
    cells = tuple(Cell(*cell) for cell in raw["cells"])
    over = {axis: tuple(values) for axis, values in raw["over"].items()}
    return Sweep(folder, path.stem, raw["kind"], raw["title"], over, cells, raw["asked"], raw["time"])


def _index(folder: RunsFolder) -> dict[str, str]:
    """The run of each cell; of several the last."""
    return {row["cell"]: row["run"] for row in shapes.read_rows(folder.sweeps / INDEX, shapes.Indexed)}


def _there(folder: RunsFolder, run: str) -> bool:
    return names.is_id(run) and (folder.path / run / names.CONFIG).exists()
