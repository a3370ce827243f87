"""Runs that belong together: a grid over settings, or a tournament of augmentations. Each is an ordinary run.

A file of `.sweeps` in the runs folder says which cells a sweep has; beside it, `runs.jsonl` says which run is which cell. A
cell is known by all that its run does, so sweeps that share cells share runs, and asking again queues what is missing.
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
