"""The traces of a figure, by their type."""

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.plots.printing.axes import set_ticks
from workbench.plots.printing.marks import line_colour, line_style, looks, series_colour
from workbench.plots.printing.notes import note_at
from workbench.plots.printing.page import SMALLEST, Page
from workbench.plots.printing.values import each, edges, numbers, parts, plain, refused, rgba

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCATTER, HEATMAP, BAR = ("scatter", "scattergl"), "heatmap", "bar"
_MOST_CELLS = 1000
"""A heat map with more cells is embedded as pixels, so that the file stays small."""


def draw_trace(page: Page, number: int, trace: Any) -> None:
    """Draw a trace, the one with this number, in its plot.

    Raises:
        BadSetting: a type of trace, or a part of one, that has no counterpart.
    """
    ways = {**dict.fromkeys(SCATTER, _scatter), HEATMAP: _heatmap, BAR: _bar}
    if trace.type not in ways:
        raise refused(f"it has a trace of type {trace.type}")
    x, y = getattr(trace, "xaxis", None) or "x", getattr(trace, "yaxis", None) or "y"
    ways[trace.type](page, trace, page.plots[x, y], x, y, 2 + number / 1000)


def _scatter(page: Page, trace: Any, plot: "Axes", x_name: str, y_name: str, order: float) -> None:
    x, y = page.along(x_name, trace.x), page.along(y_name, trace.y)
    mode = trace.mode or "lines+markers"
    if "text" in mode:
        raise refused("it has points with text")
    opacity = 1.0 if trace.opacity is None else trace.opacity
    if trace.fill not in (None, "none"):
        face: Any = {
            "facecolor": rgba(trace.fillcolor or line_colour(page, trace), opacity),
            "linewidth": 0,
            "zorder": order,
        }
        if trace.fill not in ("toself", "tozeroy"):
            raise refused(f"it has an area of kind {trace.fill}")
        for across, up in parts(x, y):
            if trace.fill == "tozeroy":
                plot.fill_between(across, 0, up, **face)
            else:
                plot.fill(across, up, edgecolor="none", **face)
    for way, bars in (("yerr", trace.error_y), ("xerr", trace.error_x)):
        if bars.array is not None:
            low = bars.array if bars.arrayminus is None else bars.arrayminus
            _errors(page, plot, x, y, {way: [numbers(low), numbers(bars.array)]}, bars, order)
    if "lines" in mode:
        plot.plot(x, y, **line_style(page, trace, opacity), zorder=order)
    if "markers" in mode:
        _marks(page, trace, plot, x, y, opacity, order)


def _errors(page: Page, plot: "Axes", x: Any, y: Any, spread: Any, bars: Any, order: float) -> None:
    width = (2.0 if bars.thickness is None else bars.thickness) * page.point
    cap = (4.0 if bars.width is None else bars.width) * page.point
    colour = rgba(bars.color)
    plot.errorbar(x, y, **spread, fmt="none", ecolor=colour, elinewidth=width, capsize=cap, zorder=order)
    for caps in plot.lines[-2:]:
        caps.set_markeredgewidth(width)


def _marks(page: Page, trace: Any, plot: "Axes", x: Any, y: Any, opacity: float, order: float) -> None:
    """Draw the marks of a trace, together those that have one shape; those without a place are left out."""
    marks = looks(page, trace, len(x), opacity)
    there = np.isfinite(x) & np.isfinite(y)
    for shape in dict.fromkeys(mark.shape for mark in marks):
        rows = [row for row, mark in enumerate(marks) if mark.shape == shape and there[row]]
        if not rows:
            continue
        chosen = [marks[row] for row in rows]
        thin = shape in "+x"  # these have no face, and an edge even where the mark is not hollow
        faces = [mark.outline if thin else mark.face or (0, 0, 0, 0) for mark in chosen]
        edges = [mark.outline or (0, 0, 0, 0) for mark in chosen]
        plot.scatter(
            x[rows],
            y[rows],
            s=[mark.area for mark in chosen],
            marker=shape,
            zorder=order + 0.0005,
            linewidths=[mark.width for mark in chosen],
            **({"c": faces} if thin else {"facecolors": faces, "edgecolors": edges}),
        )


def _heatmap(page: Page, trace: Any, plot: "Axes", x_name: str, y_name: str, order: float) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    z = numbers(trace.z)
    across, down = (
        np.arange(count, dtype=float) if values is None else page.along(name, values)
        for name, values, count in ((x_name, trace.x, z.shape[1]), (y_name, trace.y, z.shape[0]))
    )
    x, y = edges(across), edges(down)
    low = np.nanmin(z) if trace.zmin is None else trace.zmin
    high = np.nanmax(z) if trace.zmax is None else trace.zmax
    stops = [(float(place), rgba(colour)) for place, colour in trace.colorscale]
    if trace.reversescale:
        stops = [(1 - place, colour) for place, colour in reversed(stops)]
    cells = plot.pcolormesh(
        x,
        y,
        np.ma.masked_invalid(z),
        cmap=LinearSegmentedColormap.from_list("", stops),
        norm=Normalize(low, high),
        zorder=order - 1,
        rasterized=z.size > _MOST_CELLS,
        edgecolor="face",  # else viewers show the page through the seams
        linewidth=0.1,
    )
    ends = (x.min(), x.max(), y.min(), y.max())
    for gap, lines in (
        (trace.xgap, [[(at, ends[2]), (at, ends[3])] for at in x[1:-1]]),
        (trace.ygap, [[(ends[0], at), (ends[1], at)] for at in y[1:-1]]),
    ):
        if gap:
            colour = rgba(page.layout("plot_bgcolor"))
            plot.add_collection(
                LineCollection(lines, colors=[colour], linewidths=gap * page.point, zorder=order - 0.9),
                autolim=False,
            )
    if trace.texttemplate:
        _cell_texts(page, trace, plot, across, down, z)
    if trace.showscale is not False:
        colour_bar(page, trace.colorbar, cells)


def _cell_texts(page: Page, trace: Any, plot: "Axes", across: Any, down: Any, z: Any) -> None:
    form = re.fullmatch(r"%\{z:(\.\d+f)\}", trace.texttemplate)
    if not form:
        raise refused(f"its cells have texts of the form {trace.texttemplate}")
    size = page.size(trace.textfont.size or 12)
    room = 72 * page.inches(page.pixels()) / max(z.shape[1], 1) / 3.2
    for row, column in np.argwhere(np.isfinite(z)):
        words = f"{z[row, column] + 0.0:{form[1]}}".replace("-", "−")
        style = {"color": rgba(trace.textfont.color or page.ink), "size": min(size, max(room, SMALLEST))}
        plot.text(across[column], down[row], words, ha="center", va="center", zorder=4, **style)


def draw_colour_axis(page: Page) -> None:
    """Draw the colour bar of the scale that marks share, if there is one."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    scale = page.layout("coloraxis")
    if scale is None or scale.cmin is None:
        return
    stops = [(float(place), rgba(colour)) for place, colour in scale.colorscale]
    norm = Normalize(scale.cmin, scale.cmax)
    colour_bar(page, scale.colorbar, ScalarMappable(norm, LinearSegmentedColormap.from_list("", stops)))


def colour_bar(page: Page, layout: Any, cells: Any) -> None:
    """Draw a colour bar for what has a scale, as Plotly places it."""
    if layout.orientation != "h":
        raise refused("it has an upright colour bar")
    bar = page.figure.add_axes((0, 0, 1, 1), label="colour bar")
    page.figure.colorbar(cells, cax=bar, orientation="horizontal").outline.set_visible(False)
    set_ticks(page, bar.xaxis, layout.tickvals, layout.ticktext)
    size, quiet = page.size(12), rgba(page.ink)
    bar.tick_params(labelsize=size, labelcolor=quiet, length=2, width=0.4, color=quiet, pad=1.5)
    bar.set_title(plain(layout.title.text), size=size, color=quiet, loc="left", pad=2.5)
    page.bars.append((bar, layout))


def _bar(page: Page, trace: Any, plot: "Axes", x_name: str, y_name: str, order: float) -> None:
    x, y = page.along(x_name, trace.x), page.along(y_name, trace.y)
    flat = trace.orientation == "h"
    thick = 1 - (page.layout("bargap", 0.2) if trace.width is None else 0)
    ends, places = (x, y) if flat else (y, x)
    colours = each(trace.marker.color or series_colour(page, trace), len(ends))
    hatches = each(trace.marker.pattern.shape or "", len(ends))
    for end, place, colour, hatch in zip(ends, places, colours, hatches, strict=True):
        style = {"color": rgba(colour), "hatch": 5 * hatch, "zorder": order, "linewidth": 0}
        drawn = plot.barh(place, end, thick, **style) if flat else plot.bar(place, end, thick, **style)
        drawn[0].set_hatchcolor(rgba(page.layout("plot_bgcolor"), 0.55))
    if trace.text is not None:
        if trace.textposition != "outside":
            raise refused("its bars have texts inside")
        for end, place, words in zip(ends, places, each(trace.text, len(ends)), strict=True):
            at, off = ((end, place), (3, 0)) if flat else ((place, end), (0, 3))
            align = {"ha": "left", "va": "center"} if flat else {"ha": "center", "va": "bottom"}
            note_at(page, plot, plain(words), at, off, colour=trace.textfont.color, **align)
