"""The cells of a sweep, and the names of its kinds and roles."""

from dataclasses import dataclass

from workbench.core.config import Value

GRID, TOURNAMENT = "grid", "tournament"
POSITIVE, NEGATIVE, BASELINE = "positive", "negative", "baseline"

Axes = dict[str, Value]
"""A value for each axis."""


@dataclass(frozen=True)
class Cell:
    """One run of a sweep: its values on the axes, its seed, and the key of its configuration."""

    axes: Axes
    seed: int
    key: str
