"""How the lines and marks of a trace look."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.plots.printing.page import Page
from workbench.plots.printing.values import UNSET, each, refused, rgba

_MARKERS = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "triangle-up": "^",
    "triangle-down": "v",
    "cross": "P",
    "x": "X",
    "star": "*",
    "cross-thin": "+",
    "x-thin": "x",
}
SMALLER = {"D": 0.85, "s": 0.9, "*": 1.2}
"""Marks that matplotlib draws larger or smaller than Plotly does."""


@dataclass(frozen=True)
class Mark:
    """How one mark looks; sizes in points."""

    shape: str
    size: float
    face: tuple[float, float, float, float] | None
    outline: tuple[float, float, float, float] | None
    width: float

    @property
    def area(self) -> float:
        """Its size as matplotlib's scatter takes it."""
        return float((self.size * SMALLER.get(self.shape, 1)) ** 2)


def series_colour(page: Page, trace: Any) -> str:
    """The colour that Plotly gives to a trace without one."""
    colours = page.layout("colorway", (UNSET,))
    number = next(number for number, other in enumerate(page.drawn.data) if other is trace)
    return str(colours[number % len(colours)])


def line_colour(page: Page, trace: Any) -> Any:
    """The colour of a trace's line."""
    marker = trace.marker.color
    return trace.line.color or (marker if isinstance(marker, str) else series_colour(page, trace))


def line_style(page: Page, trace: Any, opacity: float = 1.0) -> Any:
    """How matplotlib draws the line of a trace."""
    if trace.line.shape not in (None, "linear"):
        raise refused(f"it has lines of the shape {trace.line.shape}")
    width = 2.0 if trace.line.width is None else trace.line.width
    style = page.dashed(trace.line.dash, width)
    colour = rgba(line_colour(page, trace), opacity)
    return {"color": colour, "linewidth": width * page.point, "linestyle": style, "solid_capstyle": "butt"}


def on_scale(page: Page, values: Any) -> list[str]:
    """The colours of numbers on the figure's colour axis; of what is not a number, the colour of quiet text."""
    scale = page.layout("coloraxis")
    stops = np.array([rgba(colour) for _, colour in scale.colorscale])
    places = [float(place) for place, _ in scale.colorscale]
    at = (np.array(values, np.float64) - scale.cmin) / (scale.cmax - scale.cmin)
    found = np.stack([np.interp(at, places, stops[:, part]) for part in range(4)], axis=1)
    return [
        UNSET if np.isnan(colour[0]) else f"rgba({','.join(str(255 * part) for part in colour[:3])},{colour[3]})"
        for colour in found
    ]


def looks(page: Page, trace: Any, count: int, opacity: float = 1.0) -> "list[Mark]":
    """The looks of a trace's marks, one for each."""
    marker = trace.marker
    colours = each(marker.color if marker.color is not None else line_colour(page, trace), count)
    if any(not isinstance(colour, str) for colour in colours):
        if not marker.coloraxis:
            raise refused("its marks have colours on a scale of their own")
        colours = on_scale(page, colours)
    alpha = opacity * (1.0 if marker.opacity is None else marker.opacity)
    sizes = [float(size) for size in each(6 if marker.size is None else marker.size, count)]
    edges = each(marker.line.color, count)
    symbols = each(marker.symbol or "circle", count)
    found = []
    for colour, size, edge, symbol in zip(colours, sizes, edges, symbols, strict=True):
        shape = str(symbol).removesuffix("-open")
        if shape not in _MARKERS:
            raise refused(f"it has marks of the shape {symbol}")
        thin, hollow = shape.endswith("-thin"), str(symbol).endswith("-open")
        width = (1.0 if thin or hollow else 0.0) if marker.line.width is None else marker.line.width
        face = None if hollow or thin else rgba(colour, alpha)
        outline = rgba(colour if hollow else edge, alpha) if width else None
        found.append(Mark(_MARKERS[shape], size * page.point, face, outline, width * page.point))
    return found
