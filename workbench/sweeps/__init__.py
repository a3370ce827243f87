"""Sweeps: a grid over settings, or a tournament of augmentations. Each cell is an ordinary run.

A file in `.sweeps` of the runs folder lists the cells of a sweep, and `runs.jsonl` beside it the run of each cell. The key of
a cell is a hash of its configuration, so sweeps with equal cells share runs, and repeating a sweep queues only what is missing.
"""

from workbench.sweeps.axes import short_axis
from workbench.sweeps.cells import BASELINE, GRID, NEGATIVE, POSITIVE, TOURNAMENT, Axes, Cell
from workbench.sweeps.grids import grid
from workbench.sweeps.keys import key_of
from workbench.sweeps.planning import Plan
from workbench.sweeps.queueing import queue
from workbench.sweeps.reading import values_of
from workbench.sweeps.store import Sweep, delete, everything, find
from workbench.sweeps.tournaments import tournament

__all__ = [
    "BASELINE",
    "GRID",
    "NEGATIVE",
    "POSITIVE",
    "TOURNAMENT",
    "Axes",
    "Cell",
    "Plan",
    "Sweep",
    "delete",
    "everything",
    "find",
    "grid",
    "key_of",
    "queue",
    "short_axis",
    "tournament",
    "values_of",
]
