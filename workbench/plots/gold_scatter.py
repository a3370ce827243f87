"""Cosine against gold score, pair by pair: as raw values, or as ranks, which are what Spearman compares."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from workbench.plots import takeaway
from workbench.plots.template import (
    Style,
    dress,
    escaped,
    head_panels,
    in_lines,
    label_of,
    look,
    names_of,
    rows_of,
    styles_for,
)
from workbench.plots.template import styles as styles_of
from workbench.statistics.correlation import average_ranks

if TYPE_CHECKING:
    from pandas import DataFrame

_MOST_SVG = 5000
_MARGIN = 0.03


def gold_scatter(
    table: "DataFrame",
    *,
    ranks: bool = False,
    lowest: float = 0.0,
    group: str = "",
    means: "DataFrame | None" = None,
    dark: bool = False,
    styles: Mapping[str, Style] | None = None,
) -> go.Figure:
    """One point per pair, gold score on x and cosine on y; one panel per target, with a shared y axis.

    Columns: gold, cosine; optional: target, label, untrained, first, second (the sentences, shown escaped on hover). With
    `ranks` both are ranks scaled to 0 to 1, and ties share their mean rank: the closer the cloud is to the dashed diagonal,
    the higher Spearman is. The scale of raw cosines always includes 0 and 1, so that a narrow cone looks narrow; pass as
    `lowest` the lowest cosine of another figure to give both the same scale. `group` names a column that determines colour and
    symbol in place of the target. `means` (columns gold, cosine, label) are lines over the first panel, dotted but the last.
    """
    names = names_of(table)
    point = takeaway.gold_scatter(table if len(names) == 1 else rows_of(table, names[-1]))
    drawn = make_subplots(
        cols=len(names),
        shared_yaxes=True,
        horizontal_spacing=0.03,
        subplot_titles=[label_of(rows_of(table, name), name) for name in names] if names != [""] else None,
    )
    kind = "rank of the " if ranks else ""
    dress(
        drawn,
        dark=dark,
        takeaway=point,
        alt=f"Scatter of {len(table)} sentence pairs, {kind}gold score across and {kind}cosine up. {point}",
        showlegend=bool(group) or means is not None,
    )
    used, colours = styles_for(table, styles, dark), look(dark)
    # WebGL fails on some machines, so it is used only for clouds that would be slow without it.
    scatter = go.Scattergl if len(table) > _MOST_SVG else go.Scatter
    for column, name in enumerate(names, 1):
        rows = rows_of(table, name)
        x, y = (_unit_ranks(rows[axis]) if ranks else rows[axis].to_numpy() for axis in ("gold", "cosine"))
        parts = styles_of(names_of(table, group), dark=dark) if group else {label_of(rows, name): used[name]}
        for part, style in parts.items():
            inside = (rows[group].astype(str) == part).to_numpy() if group else np.full(len(rows), True)
            mine = rows[inside]
            drawn.add_trace(
                scatter(
                    x=x[inside],
                    y=y[inside],
                    mode="markers",
                    name=escaped(part) if group else part,
                    showlegend=bool(group) and column == 1,
                    marker={"color": style.colour, "symbol": style.symbol, "size": 6, "opacity": 0.55},
                    customdata=np.stack([mine["gold"], mine["cosine"], _sentences(mine)], axis=1),
                    hovertemplate="gold %{customdata[0]:.2f}, cosine %{customdata[1]:.3f}%{customdata[2]}<extra></extra>",
                ),
                row=1,
                col=column,
            )
        if ranks:
            line = {"color": colours.quiet, "dash": "dash", "width": 1}
            drawn.add_shape(type="line", x0=0, y0=0, x1=1, y1=1, line=line, layer="below", row=1, col=column)
        drawn.update_xaxes(title_text="rank by gold score" if ranks else "gold score", row=1, col=column)
    drawn.update_yaxes(title_text="rank by cosine" if ranks else "cosine", row=1, col=1)
    if means is not None:
        _add_means(drawn, means, colours.ink)
    if not ranks:
        least = float(min(0.0, lowest, table["cosine"].min()))
        drawn.update_yaxes(range=[least - _MARGIN, 1 + _MARGIN])
    head_panels(drawn)
    return drawn


def _add_means(drawn: go.Figure, means: "DataFrame", colour: str) -> None:
    labels = names_of(means, "label")
    for label in labels:
        rows, last = rows_of(means, label, "label"), label == labels[-1]
        drawn.add_trace(
            go.Scatter(
                x=rows["gold"],
                y=rows["cosine"],
                mode="lines+markers",
                name=escaped(label),
                line={"color": colour, "width": 2.5 if last else 1.5, "dash": "solid" if last else "dot"},
                marker={"color": colour, "size": 8 if last else 5},
                hovertemplate="mean cosine %{y:.3f}<extra></extra>",
            ),
            row=1,
            col=1,
        )


def _unit_ranks(values: "np.ndarray") -> "np.ndarray":
    return (average_ranks(values) - 1) / max(len(values) - 1, 1)


def _sentences(rows: "DataFrame") -> list[str]:
    if "first" not in rows or "second" not in rows:
        return [""] * len(rows)
    return [
        f"<br>{in_lines(one)}<br>{in_lines(other)}" for one, other in zip(rows["first"], rows["second"], strict=True)
    ]
