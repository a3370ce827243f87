"""The panels of linked views. Each shows columns of one kind of rows, and marks the rows that are selected."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Mark:
    """A labelled cross on a scatter plot, or with `start` the head of an arrow."""

    x: float
    y: float
    label: str
    start: tuple[float, float] | None = None


@dataclass(frozen=True)
class Stop:
    """Where a slider can take the points of a scatter plot: other columns, with the marks that belong there."""

    x: str
    y: str
    label: str
    marks: tuple[Mark, ...] = ()
    """As many as at every other stop."""


@dataclass(frozen=True)
class Scatter:
    """A point for each row that has both coordinates. Panels of one `group` move and zoom together."""

    rows: str
    x: str
    y: str
    title: str
    x_label: str = ""
    y_label: str = ""
    equal: bool = False
    """Whether both axes have one scale, and no ticks: for projections."""
    group: str = ""
    within: tuple[tuple[float, float], tuple[float, float]] | None = None
    """Ranges of x and y that the axes include, whatever the points."""
    marks: tuple[Mark, ...] = ()
    stops: tuple[Stop, ...] = ()
    """Two or more: a slider moves the points on straight lines from one to the next. They begin at the first."""
    hexagons: int = 0
    """Above so many points, hexagons say how many there are where; 0 for never."""
    marginals: bool = False
    """Whether histograms of the points in sight stand along two sides."""
    note: str = ""
    of: str = ""
    """Whose panel it is, where several encoders have such a one: on a line of its own below the title."""
    height: int = 360
    wide: bool = False


@dataclass(frozen=True)
class Histogram:
    """How many rows have which values of a column."""

    rows: str
    value: str
    title: str
    x_label: str = ""
    bins: int = 30
    """About how many; their width is round."""
    limits: tuple[float, float] | None = None
    """The values that the axis reaches from and to, so that panels can share it; without them those of the column."""
    behind: "Sample | None" = None
    """Drawn as a line, scaled to as many values as the rows have."""
    note: str = ""
    of: str = ""
    height: int = 190
    wide: bool = False


@dataclass(frozen=True, eq=False)
class Sample:
    """Values that are not those of rows, such as cosines of random pairs."""

    label: str
    values: "NDArray[np.floating]"


@dataclass(frozen=True)
class Buckets:
    """How many rows of each group have which values of a column: histograms on their sides, with quartiles."""

    rows: str
    value: str
    group: str
    """A category with an order."""
    title: str
    x_label: str = ""
    y_label: str = ""
    bins: int = 36
    limits: tuple[float, float] | None = None
    note: str = ""
    of: str = ""
    height: int = 300
    wide: bool = False


@dataclass(frozen=True)
class Table:
    """The rows with some of their columns, sorted by one; numbers that diverge are sorted by their size."""

    rows: str
    columns: tuple[str, ...]
    title: str
    sort: str
    down: bool = True
    height: int = 420
    wide: bool = True


Panel = Scatter | Histogram | Buckets | Table
