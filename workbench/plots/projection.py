"""Projections as points, either the cone with its origin or a centred picture labelled as such; dropout views as stars."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from workbench.plots import takeaway
from workbench.plots.template import Style, add_arrow, escaped, figure, in_lines, look, names_of, rows_of, styles

if TYPE_CHECKING:
    from pandas import DataFrame

PLANE_AXES = {
    "cone": ("along the mean direction", "strongest remaining direction"),
    "pca": ("first principal direction", "second principal direction"),
    "umap": ("UMAP, no unit", "UMAP, no unit"),
    "tsne": ("t-SNE, no unit", "t-SNE, no unit"),
    "unit": ("first coordinate", "second coordinate"),
}

_LABELLED = 0.25
"""Labels of the origin lie at most so far above or below it."""
_CENTRED = "centred: the origin and the cone are not in this picture"


def projection(
    table: "DataFrame",
    *,
    dark: bool = False,
    group: str = "",
    untrained: bool = False,
    joined: Iterable[tuple[int, int]] = (),
    rays: bool = False,
    style: Style | None = None,
    size: float = 7,
) -> go.Figure:
    """The table of `analysis.projection` as points; a column `text`, if present, is shown on hover, escaped.

    A cone is drawn with its origin, the unit circle that no point can leave, and an arrow from the origin to the mean
    vector; with `rays`, a line to each point. Centred pictures state what they hide. The method `unit` is that of points on
    the unit circle or sphere as they are. `group` names a column that determines the colour and symbol of the points; without
    one they have the `style`, or points of an `untrained` backbone are grey. `joined` are pairs of rows with a line between.
    """
    method = table.attrs.get("method", "pca")
    point = takeaway.projection(table)
    what = "points" if method == "unit" else "texts as points"
    drawn = _empty(table, method, point, dark, f"{len(table)} {what}, {_kind(method)}. {point}")
    colours = look(dark)
    places = list(zip(table["x"], table["y"], strict=True))
    lines = [(places[first], places[second]) for first, second in joined]
    for ends, opacity in ((lines, 0.45), ([((0.0, 0.0), place) for place in places] if rays else [], 0.25)):
        if ends:
            drawn.add_trace(_lines(ends, colours.quiet, opacity))
    names = names_of(table, group) if group else [""]
    known = styles(names, untrained=names if untrained and not group else (), dark=dark)
    known |= {"": style} if style and not group else {}
    for name in names:
        rows, used = rows_of(table, name, group) if group else table, known[name]
        texts = rows["text"] if "text" in rows else rows["row"].map(lambda row: f"text {row}")
        drawn.add_trace(
            go.Scatter(
                x=rows["x"],
                y=rows["y"],
                mode="markers",
                name=escaped(name),
                showlegend=bool(group),
                marker={"color": used.colour, "symbol": used.symbol, "size": size, "opacity": 0.75},
                customdata=[in_lines(text) for text in texts],
                hovertemplate="%{customdata}<extra></extra>",
            )
        )
    if method == "cone":
        x, y = table.attrs.get("mean") or (float(table["x"].mean()), float(table["y"].mean()))
        _origin(drawn, table, (x, y), dark)
    elif method == "unit":
        _circle(drawn, dark)
    elif group:  # its place is the legend's
        drawn.update_xaxes(title={"text": f"{drawn.layout.xaxis.title.text}<br>{_CENTRED}"})
    else:
        drawn.add_annotation(
            text=_CENTRED, xref="paper", yref="paper", x=0, y=1, yanchor="bottom", font={"color": colours.quiet}
        )
    return drawn


def dropout_views(table: "DataFrame", *, dark: bool = False, labels: "list[str] | None" = None) -> go.Figure:
    """The table of `analysis.dropout_views` as stars: each text's views joined to their mean. `labels`, one per text, name them.

    Each text has a colour and a symbol; past eight texts these repeat in other combinations.
    """
    method = table.attrs.get("method", "pca")
    point = takeaway.dropout_views(table)
    texts = list(dict.fromkeys(table["row"]))
    views = table["view"].nunique()
    alt = f"{views} dropout views of {len(texts)} texts, each joined to its mean, {_kind(method)}. {point}"
    drawn = _empty(table, method, point, dark, alt)
    known = styles([str(row) for row in texts], dark=dark)
    for number, row in enumerate(texts):
        rows, style = table[table["row"] == row], known[str(row)]
        label = labels[number] if labels else str(rows["text"].iloc[0]) if "text" in rows else f"text {row + 1}"
        add_star(drawn, rows, style, label, legend=len(texts) <= 12)
    if method == "cone":
        _origin(drawn, table, (float(table["x"].mean()), float(table["y"].mean())), dark)
    return drawn


def _empty(table: "DataFrame", method: str, point: str, dark: bool, alt: str) -> go.Figure:
    x, y = PLANE_AXES[method]
    explained = table.attrs.get("explained")
    if explained is not None:
        what = "squared length" if method == "cone" else "variance"
        x, y = (f"{title} ({100 * share:.0f} % of the {what})" for title, share in zip((x, y), explained, strict=True))
    drawn = figure(dark=dark, takeaway=point, alt=alt, xaxis_title=x, yaxis_title=y)
    if method not in ("umap", "tsne"):
        # Angles and distances are read from the picture, so one unit has the same length on both axes.
        drawn.update_yaxes(scaleanchor="x", scaleratio=1)
    else:
        drawn.update_xaxes(showticklabels=False, ticks="")
        drawn.update_yaxes(showticklabels=False, ticks="")
    return drawn


def _kind(method: str) -> str:
    kinds = {
        "cone": "uncentred, with the origin",
        "pca": "by centred PCA",
        "umap": "by UMAP",
        "tsne": "by t-SNE",
        "unit": "of length 1",
    }
    return kinds[method]


def _lines(ends: "list[tuple[tuple[float, float], tuple[float, float]]]", colour: str, opacity: float) -> go.Scatter:
    """Thin lines, each between two places."""
    x, y = ([value for pair in ends for value in (pair[0][axis], pair[1][axis], None)] for axis in (0, 1))
    line = {"color": colour, "width": 1}
    return go.Scatter(x=x, y=y, mode="lines", line=line, opacity=opacity, hoverinfo="skip", showlegend=False)


def add_star(
    drawn: go.Figure,
    rows: "DataFrame",
    style: Style,
    label: str,
    *,
    legend: bool,
    row: int | None = None,
    col: int | None = None,
) -> None:
    """The views of one text, joined to their mean, in a panel if the figure has several."""
    rays: dict[str, list[float | None]] = {"x": [], "y": []}
    for axis in rays:
        for view, middle in zip(rows[axis], rows[f"mean_{axis}"], strict=True):
            rays[axis] += [middle, view, None]
    short = label if len(label) <= 40 else f"{label[:39]}…"
    group = str(rows["row"].iloc[0])
    drawn.add_trace(
        go.Scatter(
            **rays,
            mode="lines",
            line={"color": style.colour, "width": 1},
            opacity=0.6,
            hoverinfo="skip",
            legendgroup=group,
            showlegend=False,
        ),
        row=row,
        col=col,
    )
    drawn.add_trace(
        go.Scatter(
            x=rows["x"],
            y=rows["y"],
            mode="markers",
            name=escaped(short),
            legendgroup=group,
            showlegend=legend,
            marker={"color": style.colour, "symbol": style.symbol, "size": 7},
            customdata=[f"view {view + 1}" for view in rows["view"]],
            hovertemplate=f"{in_lines(label)}<br>%{{customdata}}<extra></extra>",
        ),
        row=row,
        col=col,
    )
    drawn.add_trace(
        go.Scatter(
            x=rows["mean_x"].iloc[:1],
            y=rows["mean_y"].iloc[:1],
            mode="markers",
            legendgroup=group,
            showlegend=False,
            marker={"color": style.colour, "symbol": style.symbol, "size": 14, "line": {"width": 1.5}},
            hovertemplate=f"{in_lines(label)}<br>mean of its views<extra></extra>",
        ),
        row=row,
        col=col,
    )


def _origin(drawn: go.Figure, table: "DataFrame", mean: tuple[float, float], dark: bool) -> None:
    """Draw the origin, the unit circle, and the arrow to the mean."""
    colours = look(dark)
    _circle(drawn, dark)
    drawn.add_trace(
        go.Scatter(
            x=[0],
            y=[0],
            mode="markers",
            showlegend=False,
            hovertemplate="the origin<extra></extra>",
            marker={
                "color": colours.ink,
                "symbol": "cross-thin",
                "size": 14,
                "line": {"color": colours.ink, "width": 2},
            },
        )
    )
    add_arrow(drawn, (0, 0), mean, colours.ink, arrowsize=1.2, arrowwidth=2.5)
    # Both labels are on the side away from the arrow, beyond the points that lie as high as they do.
    level = [0.0, *table["x"][table["y"].abs() < _LABELLED]]
    place = {"x": min(level), "xanchor": "right", "xshift": -6}
    if mean[0] < 0:
        place = {"x": max(level), "xanchor": "left", "xshift": 6}
    drawn.add_annotation(text="origin", y=0, yshift=-14, **place)
    drawn.add_annotation(text=f"mean, length {takeaway.number(float(np.hypot(*mean)))}", y=0, yshift=14, **place)


def _circle(drawn: go.Figure, dark: bool) -> None:
    """Draw the unit circle."""
    around = np.linspace(0, 2 * np.pi, 121)
    drawn.add_trace(
        go.Scatter(
            x=np.cos(around),
            y=np.sin(around),
            mode="lines",
            hoverinfo="skip",
            showlegend=False,
            line={"color": look(dark).quiet, "width": 1, "dash": "dot"},
        )
    )
