"""What the layout of a figure puts beside its traces: shapes, texts and arrows."""

from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.plots.printing.page import Page
from workbench.plots.printing.values import plain, refused, rgba

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text


def draw_shapes(page: Page) -> None:
    """Lines and rectangles of the layout."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle
    from matplotlib.transforms import blended_transform_factory

    for shape in page.drawn.layout.shapes:
        if shape.type not in ("line", "rect"):
            raise refused(f"it has a shape of type {shape.type}")
        (across, x_way), (down, y_way) = page.ref("x", shape.xref), page.ref("y", shape.yref)
        plot = across if across is not page.paper else down
        way = blended_transform_factory(x_way, y_way)
        for x, y in ((shape.x0, shape.y0), (shape.x1, shape.y1)):
            _reach(plot, x if x_way is plot.transData else None, y if y_way is plot.transData else None)
        width = 2.0 if shape.line.width is None else shape.line.width
        order = 0.8 if shape.layer == "below" else 5
        stroke = {
            "linewidth": width * page.point,
            "linestyle": page.dashed(shape.line.dash, width),
            "transform": way,
            "zorder": order,
        }
        edge = rgba(shape.line.color, shape.opacity)
        if shape.type == "line":
            line = Line2D([shape.x0, shape.x1], [shape.y0, shape.y1], color=edge, **stroke)
            plot.add_artist(line)
            continue
        size = (shape.x1 - shape.x0, shape.y1 - shape.y0)
        face = rgba(shape.fillcolor, shape.opacity) if shape.fillcolor else "none"
        plot.add_artist(
            Rectangle((shape.x0, shape.y0), *size, facecolor=face, edgecolor=edge if width else "none", **stroke)
        )


def draw_annotations(page: Page) -> None:
    """Texts and arrows of the layout."""
    plain_font = {"size": page.layout("annotationdefaults.font.size", 12)}
    for note in page.drawn.layout.annotations:
        if note.visible is False:
            continue
        (across, x_way), (down, y_way) = page.ref("x", note.xref), page.ref("y", note.yref)
        plot = across if across is not page.paper else down
        at = (page.spot("x", note.xref, note.x), page.spot("y", note.yref, note.y))
        _reach(plot, at[0] if x_way is plot.transData else None, at[1] if y_way is plot.transData else None)
        words = plain(note.text)
        arrow = note.showarrow if note.showarrow is not None else page.layout("annotationdefaults.showarrow", True)
        if arrow and note.axref not in (None, "pixel"):
            _arrow(page, plot, note, at, (page.spot("x", note.axref, note.ax), page.spot("y", note.ayref, note.ay)))
            continue
        off = ((note.xshift or 0) * page.point, (note.yshift or 0) * page.point)
        style = {
            "size": page.size(note.font.size or plain_font["size"]),
            "rotation": -(note.textangle or 0),
            "linespacing": 1.15,
            "ha": note.xanchor or _anchor(note.xref, note.x, ("left", "center", "right")),
            "va": {"middle": "center"}.get(note.yanchor, note.yanchor)
            or _anchor(note.yref, note.y, ("bottom", "center", "top")),
            "xycoords": (x_way, y_way),
            "rotation_mode": "default",
        }
        if arrow:
            end = ((note.ax or 0) * page.point, -(-10 if note.ay is None else note.ay) * page.point)
            off = (off[0] + end[0], off[1] + end[1])
            style["arrowprops"] = _head(page, note)
        note_at(page, plot, words, at, off, colour=note.font.color, **style)


def note_at(page: Page, plot: "Axes", words: str, at: Any, off: Any, *, colour: Any = None, **more: Any) -> "Text":
    """A text at a place of a plot, moved by so many points; it may leave the plot."""
    style = {"size": page.size(12), "color": rgba(colour or page.ink), "zorder": 6, **more}
    return plot.annotate(words, at, off, textcoords="offset points", annotation_clip=False, **style)


def _head(page: Page, note: Any) -> Any:
    width = (1.0 if note.arrowwidth is None else note.arrowwidth) * page.point
    pointed = (1 if note.arrowhead is None else note.arrowhead) > 0
    return {
        "arrowstyle": "-|>,head_length=0.5,head_width=0.22" if pointed else "-",
        "color": rgba(note.arrowcolor or note.font.color or page.ink),
        "linewidth": width,
        "mutation_scale": 5.5 * width * (note.arrowsize or 1) if pointed else 1,
        "shrinkA": (note.startstandoff or 0) * page.point,
        "shrinkB": (note.standoff or 0) * page.point,
        "joinstyle": "miter",
    }


def _arrow(page: Page, plot: "Axes", note: Any, at: Any, start: Any) -> None:
    """An arrow between two places of a plot."""
    plot.annotate("", at, start, annotation_clip=False, zorder=5, arrowprops=_head(page, note))


def _reach(plot: "Axes", x: float | None, y: float | None) -> None:
    """Let the ranges of a plot reach a place beside its traces; None on the axis that it does not belong to."""
    at = np.array([[0.0 if x is None else x, 0.0 if y is None else y]])
    plot.dataLim.update_from_data_xy(at, ignore=False, updatex=x is not None, updatey=y is not None)


def _anchor(ref: Any, value: Any, ways: tuple[str, str, str]) -> str:
    """Plotly's anchor where none is given: the centre in a plot, the nearer side on the paper."""
    if ref != "paper" and " " not in str(ref):
        return ways[1]
    return ways[0] if value < 1 / 3 else ways[2] if value > 2 / 3 else ways[1]
