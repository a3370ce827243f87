"""The cells of a sweep, and the words of its kinds and roles."""

from dataclasses import dataclass

from workbench.core.config import Value

GRID, TOURNAMENT = "grid", "tournament"
POSITIVE, NEGATIVE, BASELINE = "positive", "negative", "baseline"


Axes = dict[str, Value]


@dataclass(frozen=True)
class Cell:
    """One run of a sweep: its place on the axes, its seed, and the key of all that it does."""

    axes: Axes
    seed: int
    key: str
