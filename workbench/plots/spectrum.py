"""Singular values, strongest first: a steep drop means a cone, a plateau an open space."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.plots import takeaway
from workbench.plots.template import Style, figure, label_of, names_of, rows_of, styles_for

if TYPE_CHECKING:
    from pandas import DataFrame


_LEAST = 1e-5
_SYMBOLS_EACH = 5


def spectrum(table: "DataFrame", *, dark: bool = False, styles: Mapping[str, Style] | None = None) -> go.Figure:
    """Singular values relative to the first, on logarithmic axes, one line per target; values up to 1e-5 are left out.

    Each line carries its target's symbol at a few directions, at others than its neighbours', because all untrained targets
    are grey and dashes alone are hard to tell apart.

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
    for number, name in enumerate(names):
        # Directions whose strength is only rounding error would take up most of a logarithmic axis.
        rows = rows_of(table, name)
        rows = rows[rows["relative"] > _LEAST]
        line = {"color": used[name].colour, "dash": used[name].dash, "width": 1.8}
        marker = {"color": used[name].colour, "symbol": used[name].symbol, "size": 8}
        one = {"name": label_of(rows, name), "legendgroup": name}
        drawn.add_trace(
            go.Scatter(
                **one,
                x=rows["component"],
                y=rows["relative"],
                mode="lines",
                line=line,
                showlegend=False,
                customdata=rows["share"],
                hovertemplate="direction %{x}: %{y:.3f} of the first, %{customdata:.1%} of all<extra></extra>",
            )
        )
        marked = rows.iloc[_marked(len(rows), (number + 0.5) / len(names))]
        drawn.add_trace(
            go.Scatter(
                **one,
                x=marked["component"],
                y=marked["relative"],
                mode="markers",
                marker=marker,
                showlegend=False,
                hoverinfo="skip",
            )
        )
        drawn.add_trace(go.Scatter(**one, x=[None], y=[None], mode="lines+markers", line=line, marker=marker))
    return drawn


def _marked(count: int, shift: float) -> list[int]:
    """The rows of `count` that carry a symbol, evenly on a logarithmic axis; `shift`, 0 to 1, moves them by up to one step.

    >>> _marked(100, 0.0), _marked(100, 0.5), _marked(0, 0.5)
    ([0, 2, 5, 15, 39], [1, 3, 9, 24, 62], [])
    """
    steps = [(place + shift) / _SYMBOLS_EACH for place in range(_SYMBOLS_EACH)] if count else []
    return sorted({round(count**step) - 1 for step in steps})


def _ticks(low: int, high: int) -> list[float]:
    """1, 2 and 5 in each decade: on a short logarithmic axis Plotly would draw a single tick."""
    return [digit * 10.0**power for power in range(low, high + 1) for digit in (1, 2, 5)]
