"""A grid over a numeric setting: the mean over seeds with its interval, and every seed as a point."""

from math import log10
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.plots.sweep_takeaway import axis_name, details, directed, of_grid, value_label
from workbench.plots.template import GREY, alt_text, escaped, figure, look, styles

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.data.paper_figures import PublishedCurve

_LOG_FROM = 20
"""The axis is logarithmic if its largest value is at least this many times its smallest."""


def sweep_line(
    table: "DataFrame",
    points: "DataFrame",
    *,
    axis: str,
    series: str = "",
    words: str,
    scale: float = 1.0,
    higher: bool = True,
    published: "PublishedCurve | None" = None,
    dark: bool = False,
) -> go.Figure:
    """A setting on x, a measure on y; with `series`, one line for each value of a second setting.

    `table` is that of `Sweep.summary`, `points` that of `Sweep.results`. Filled points are the leading setting and its ties,
    open ones the others or undecided. The dotted line is the backbone before training. What is `published` lies beneath, in
    grey: its points of Spearman, or a line at its best setting.
    """
    axes = [axis, series] if series else [axis]
    point = of_grid(table, axes, words=words, scale=scale, higher=higher)
    colours = look(dark)
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"Line of {words} over {axis_name(axis)}, with means and intervals over seeds. {point}",
        xaxis={"title": {"text": axis_name(axis)}},
        yaxis={"title": {"text": directed(words, higher)}},
        height=400,
    )
    values = [float(value) for value in table[axis]]
    if values and published is not None:
        printed = [*published.x, *([published.best] if published.best is not None else [])]
        values += [value for value in printed if published.x or min(values) <= value <= max(values)]
        drawn.update_layout(meta={"takeaway": point, "alt": f"{alt_text(drawn)} In grey, {escaped(published.label)}."})
        _published(drawn, published, values)
    if values and min(values) > 0 and max(values) / min(values) >= _LOG_FROM:
        ticks = sorted(set(values))
        drawn.update_xaxes(type="log", tickvals=ticks, ticktext=[f"{tick:g}" for tick in ticks])
    else:
        ticks = sorted(set(values)) if len(set(values)) <= 13 else []
        named = {"tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]} if ticks else {}
        drawn.update_xaxes(**named)
    if values:  # the whole range from the first run on, so that the axis stays the same as other runs finish
        ends = [log10(value) for value in (min(values), max(values))] if drawn.layout.xaxis.type == "log" else values
        room = 0.06 * (max(ends) - min(ends)) or 0.1 * abs(ends[0]) or 1
        drawn.update_xaxes(range=[min(ends) - room, max(ends) + room])
    names = list(dict.fromkeys(value_label(value) for value in table[series])) if series else [""]
    known = ["reference", "tie"] if table["n"].max() > 1 else []
    used = styles(names, dark=dark)
    for name in names:
        rows = table[table[series].map(value_label) == name] if series else table
        rows = rows[rows["n"] > 0].sort_values(axis, key=lambda column: column.astype(float))
        mine = points[points[series].map(value_label) == name] if series else points
        mine = mine.dropna(subset=["value"])
        style = used[name]
        drawn.add_trace(
            go.Scatter(
                x=[float(value) for value in mine[axis]],
                y=scale * mine["value"].astype(float),
                mode="markers",
                marker={"size": 5, "color": style.colour, "opacity": 0.4, "symbol": style.symbol},
                legendgroup=name,
                showlegend=False,
                customdata=[escaped(f"seed {seed}") for seed in mine["seed"]],
                hovertemplate="%{customdata}: %{y:.2f}<extra></extra>",
            )
        )
        filled = rows["standing"].isin(known)
        drawn.add_trace(
            go.Scatter(
                x=[float(value) for value in rows[axis]],
                y=scale * rows["mean"].astype(float),
                error_y={
                    "array": (scale * (rows["high"] - rows["mean"])).fillna(0),
                    "color": style.colour,
                    "thickness": 1.2,
                    "width": 4,
                },
                mode="lines+markers",
                name=escaped(f"{axis_name(series)} {name}") if series else "mean over seeds",
                legendgroup=name,
                line={"color": style.colour, "dash": style.dash, "width": 1.8},
                marker={
                    "size": 9,
                    "symbol": style.symbol,
                    "color": [style.colour if full else colours.paper for full in filled],
                    "line": {"width": 1.8, "color": style.colour},
                },
                customdata=[escaped(details(row, axes, scale=scale)) for row in rows.to_dict("records")],
                hovertemplate="%{customdata}<extra></extra>",
            )
        )
    _untrained(drawn, points, scale, colours.quiet)
    drawn.update_layout(showlegend=bool(series or published), margin={"r": 32})
    return drawn


def _published(drawn: go.Figure, published: "PublishedCurve", shown: list[float]) -> None:
    """Published points, joined, or else a line at the best setting if it is among those shown; before all other traces."""
    scores = published.values.get("spearman", ())
    name = escaped(published.label)
    if scores:
        drawn.add_trace(
            go.Scatter(
                x=published.x,
                y=scores,
                mode="lines+markers",
                name=name,
                line={"color": GREY, "dash": "dash", "width": 1.5},
                marker={"color": GREY, "symbol": "diamond-open", "size": 8, "line": {"width": 1.5}},
                hovertemplate="published %{x}: %{y:.2f}<extra></extra>",
            )
        )
    elif published.best in shown:
        mark = {"x": published.best, "line": {"color": GREY, "dash": "dash", "width": 1.5}, "layer": "below"}
        drawn.add_vline(**mark)
        line = {"color": GREY, "dash": "dash", "width": 1.5}
        drawn.add_trace(go.Scatter(x=[None], y=[None], mode="lines", name=f"{published.best:g}, {name}", line=line))


def _untrained(drawn: go.Figure, points: "DataFrame", scale: float, colour: str) -> None:
    """Draw a dotted line at the value before training, if it is the same for all runs."""
    known = points["untrained"].dropna()
    if len(known) and known.max() - known.min() < 10 ** (-log10(max(scale, 1)) - 3):
        drawn.add_hline(
            y=scale * float(known.iloc[0]),
            line={"dash": "dot", "width": 1.2, "color": colour},
            annotation={"text": "before training", "font": {"color": colour, "size": 12}},
            annotation_position="bottom right",
        )
