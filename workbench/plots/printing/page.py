"""The page that a figure is drawn up on, and what the figure and its template say about it."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from workbench.core.errors import BadSetting
from workbench.plots.printing.values import UNSET, array, numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from numpy.typing import NDArray

_POINT = 0.58
"""Points in a pixel, unless the figure has a width of its own."""
_TEXT = 0.9
"""matplotlib's typeface is larger at the same size than those of browsers."""
SMALLEST = 4.5
"""Points: smaller text cannot be read on paper."""
_DASHES = {
    "dash": (3, 3),
    "dot": (1, 1),
    "dashdot": (3, 1, 1, 1),
    "longdash": (5, 5),
    "longdashdot": (5, 1, 1, 1),
}


@dataclass
class Page:
    """The page that a figure is drawn up on: its scale, its plots, and what stands above them."""

    drawn: go.Figure
    figure: "Figure"
    point: float
    """Points in one of Plotly's pixels."""
    paper: "Axes"
    """Invisible; stands for Plotly's paper, which is all plots together."""
    plots: "dict[tuple[str, str], Axes]" = field(default_factory=dict)
    categories: dict[str, list[str]] = field(default_factory=dict)
    titles: "list[tuple[Text, str, Axes]]" = field(default_factory=list)
    """Titles of axes, as given, with their plots."""
    bars: "list[tuple[Axes, Any]]" = field(default_factory=list)
    """Colour bars, with where Plotly has them."""
    limits: dict[tuple[str, str], tuple[float, float, float, float]] = field(default_factory=dict)
    """Ends of both axes of a plot, as they are unless the two have one scale."""
    spare: float = 0.0
    """Inches in height that a plot of a given shape lacks to be as wide as the page; negative if it has too many."""
    hidden: "list[Text]" = field(default_factory=list)
    """Labels of ticks that would touch others."""
    known: dict[tuple[str, str], object] = field(default_factory=dict)
    """What the figure or its template says about the layout and about axes, once looked up; None where they say nothing."""

    @classmethod
    def of(cls, drawn: go.Figure, inches: float) -> "Page":
        """An empty page for a figure, so many inches wide.

        Raises:
            BadSetting: labels that were placed for a wide page would be too small to read.
        """
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        own = drawn.layout.width
        point = inches * 72 / own if own else _POINT
        if 12 * point * _TEXT < SMALLEST:
            raise BadSetting(
                "The labels of this figure are too small at this width.",
                rule=f"They were placed for {own:.0f} pixels, and text on paper has at least {SMALLEST:g} points.",
                got=f"{12 * point * _TEXT:.1f} points",
                way_out="Use the width full.",
            )
        pixels = inches * 72 / point
        high = drawn.layout.height or min(450.0, 0.75 * pixels)
        figure = Figure(figsize=(inches, high * point / 72))
        FigureCanvasAgg(figure)  # keeps what measures texts, and their sizes with it
        paper = figure.add_axes((0, 0, 1, 1), frameon=False)
        paper.set_axis_off()
        return cls(drawn, figure, point, paper)

    @cached_property
    def _template(self) -> go.Layout:
        return self.drawn.layout.template.layout

    def layout(self, path: str, default: Any = None) -> Any:
        """A part of the layout, from the figure or its template."""
        if ("", path) not in self.known:
            own = self.drawn.layout[path]
            self.known["", path] = self._template[path] if own is None else own
        value = self.known["", path]
        return default if value is None else value

    def axis(self, name: str, path: str, default: Any = None) -> Any:
        """A setting of an axis named as traces name it: x, y2."""
        if (name, path) not in self.known:
            full = f"{name[0]}axis{name[1:]}"
            own = self.drawn.layout[full][path] if full in self.drawn.layout else None
            self.known[name, path] = self._template[f"{name[0]}axis"][path] if own is None else own
        value = self.known[name, path]
        return default if value is None else value

    def size(self, pixels: float) -> float:
        """Points of text of so many pixels."""
        return pixels * self.point * _TEXT

    def inches(self, pixels: float) -> float:
        """Inches on paper of so many pixels."""
        return pixels * self.point / 72

    @property
    def ink(self) -> str:
        """The colour of text."""
        return str(self.layout("font.color", UNSET))

    def pixels(self) -> float:
        """The width of the figure in Plotly's pixels."""
        return float(self.figure.get_figwidth() * 72 / self.point)

    def like(self, name: str) -> str:
        """The axis whose range this one shares: itself, or the one that it matches."""
        return str(self.axis(name, "matches") or name)

    def along(self, name: str, values: Any) -> "NDArray[np.float64]":
        """Values on an axis as numbers; those of a category axis are its places, from 0."""
        known = self.categories.get(self.like(name))
        if known is None:
            return numbers(values)
        return np.array([known.index(str(value)) for value in array(values)], dtype=float)

    def spot(self, axis: str, ref: Any, value: Any) -> float:
        """A coordinate of an annotation in the units of matplotlib's axis; Plotly writes those on a log axis as exponents."""
        name = str(ref or axis).partition(" ")[0]
        if name == "paper" or " " in str(ref):
            return float(value)
        if (known := self.categories.get(self.like(name))) is not None and isinstance(value, str):
            return float(known.index(value))
        return 10.0 ** float(value) if self.axis(name, "type") == "log" else float(value)

    def ref(self, axis: str, ref: Any) -> "tuple[Axes, Any]":
        """The plot of a reference, and the transform of one coordinate along it."""
        if ref == "paper":
            return self.paper, self.paper.transAxes
        name, _, domain = str(ref or axis).partition(" ")
        plot = next(plot for (x, y), plot in self.plots.items() if name in (x, y))
        return plot, plot.transAxes if domain else plot.transData

    def dashed(self, dash: Any, width: float) -> Any:
        """A dash as matplotlib writes it, in widths of the line; Plotly's are in pixels and no thinner line has shorter ones."""
        if dash in (None, "", "solid") or not width:
            return "-"
        if dash in _DASHES:
            parts = [max(width, 3) * part for part in _DASHES[dash]]
        else:
            parts = [float(part.removesuffix("px")) for part in re.split(r"[,\s]+", dash)]
        return (0, [part / width for part in parts])

    def box(self, artist: Any) -> Any:
        """What an artist covers, in inches."""
        from matplotlib.transforms import Affine2D

        return artist.get_tightbbox().transformed(Affine2D().scale(1 / self.figure.dpi))
