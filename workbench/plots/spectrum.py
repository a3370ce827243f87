"""Singular values, strongest first: a steep drop means a cone, a plateau an open space."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.plots import takeaway
from workbench.plots.template import Style, figure, label_of, names_of, rows_of, styles_for

if TYPE_CHECKING:
    from pandas import DataFrame


_LEAST = 1e-5


def spectrum(table: "DataFrame", *, dark: bool = False, styles: Mapping[str, Style] | None = None) -> go.Figure:
    """Singular values relative to the first, on logarithmic axes, one line per target; values up to 1e-5 are left out.

    Columns: component, relative, share, as from `analysis.spectrum`; optional: target, label, untrained.
    """
    point = takeaway.spectrum(table)
    centred = table.attrs.get("centred")
    kind = {True: " of the centred vectors", False: " of the uncentred vectors"}.get(centred, "")
    names = names_of(table)
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"Singular values{kind} relative to the first, strongest first. {point}",
        xaxis={"title": f"direction{kind}, strongest first", "type": "log", "tickvals": _ticks(0, 4)},
        yaxis={
            "title": "strength relative to the first",
            "type": "log",
            "tickvals": _ticks(-5, 0),
            "exponentformat": "none",
        },
        showlegend=len(names) > 1,
    )
    used = styles_for(table, styles, dark)
    for name in names:
        # Directions whose strength is only rounding error would take up most of a logarithmic axis.
        rows = rows_of(table, name)
        rows = rows[rows["relative"] > _LEAST]
        drawn.add_trace(
            go.Scatter(
                x=rows["component"],
                y=rows["relative"],
                mode="lines",
                name=label_of(rows, name),
                line={"color": used[name].colour, "dash": used[name].dash, "width": 1.8},
                customdata=rows["share"],
                hovertemplate="direction %{x}: %{y:.3f} of the first, %{customdata:.1%} of all<extra></extra>",
            )
        )
    return drawn


def _ticks(low: int, high: int) -> list[float]:
    """1, 2 and 5 in each decade: on a short logarithmic axis Plotly would draw a single tick."""
    return [digit * 10.0**power for power in range(low, high + 1) for digit in (1, 2, 5)]
