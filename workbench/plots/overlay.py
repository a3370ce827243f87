"""Curves of several runs over each other, one panel per measure; repetitions with other seeds as a line in a band."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from workbench.plots import takeaway
from workbench.plots.curves import WORDS, decimate
from workbench.plots.template import Style, dress, escaped, head_panels, label_of, look, names_of, rows_of, styles_for

if TYPE_CHECKING:
    from pandas import DataFrame, Series

_BAND = 0.18
"""Opacity of a band."""
_RAW = 0.35
"""Opacity of what was smoothed."""
_PANEL = 190
"""Height of a panel, in pixels."""
_MOST_MARKED = 40
"""Most points of a line on which each point is marked."""


def overlay(
    table: "DataFrame",
    *,
    axis: str = "step",
    dark: bool = False,
    styles: Mapping[str, Style] | None = None,
    words: Mapping[str, str] | None = None,
    level: tuple[float, str] | None = None,
) -> go.Figure:
    """One panel per measure and one line per target, with a band from low to high where they are known.

    Columns: measure, target, x, value, low, high; optional: label, on (what a measure is taken on), and raw (what `value` is a
    mean of, drawn as a faint line behind it where it is known). `axis` names x;
    `words` are titles of measures that are not in `curves.WORDS`. At most 500 points per line, keeping its peaks. `level` is a
    value with its name, such as what guessing would reach, drawn as a dotted line across the first panel.
    """
    measures = names_of(table, "measure")
    titles = [escaped({**WORDS, **(words or {})}.get(name, name)) for name in measures]
    point = _point(table, {**WORDS, **(words or {})}) if len(table) else "Nothing has been measured yet."
    panels = max(1, len(measures))
    drawn = make_subplots(rows=panels, shared_xaxes=True, vertical_spacing=0.24 / panels, subplot_titles=titles)
    dress(
        drawn,
        dark=dark,
        takeaway=point,
        alt=f"Curves by {axis}: {', '.join(titles)}. {point}",
        height=_PANEL * panels + 110,
        hovermode="x",
        showlegend=len(names_of(table)) > 1,
    )
    used = styles_for(table, styles, dark)
    named = set[str]()
    for panel, measure in enumerate(measures, 1):
        scale = 100 if measure == "spearman" else 1
        for target in names_of(rows_of(table, measure, "measure")):
            rows = rows_of(rows_of(table, measure, "measure"), target).sort_values("x", kind="stable")
            style, label = used[target], label_of(rows, target)
            band = rows.dropna(subset=["low", "high"])
            if len(band):
                _add_band(drawn, band, scale, style, target, panel)
            if "raw" in rows and rows["raw"].notna().any():
                _add_raw(drawn, rows.dropna(subset=["raw"]), scale, style, target, panel)
            rows = rows.iloc[decimate(rows["value"].to_numpy(dtype=float))]
            drawn.add_trace(
                go.Scatter(
                    x=rows["x"],
                    y=rows["value"] * scale,
                    mode="lines+markers" if len(rows) <= _MOST_MARKED else "lines",
                    name=label,
                    legendgroup=target,
                    showlegend=target not in named,
                    line={"color": style.colour, "dash": style.dash, "width": 1.8},
                    marker={"color": style.colour, "symbol": style.symbol, "size": 6},
                    hovertemplate="%{y:.4g}",
                ),
                row=panel,
                col=1,
            )
            named.add(target)
    if level and len(table):
        _add_level(drawn, table["x"], level, look(dark).quiet)
    head_panels(drawn)
    drawn.update_xaxes(title_text=axis, row=panels, col=1)
    return drawn


def _add_level(drawn: go.Figure, xs: "Series[float]", level: tuple[float, str], colour: str) -> None:
    value, name = level
    drawn.add_trace(
        go.Scatter(
            x=[xs.min(), xs.max()],
            y=[value, value],
            mode="lines",
            name=escaped(name),
            line={"color": colour, "dash": "dot", "width": 1.6},
            hoverinfo="skip",
        ),
        row=1,
        col=1,
    )
    drawn.update_layout(showlegend=True)


def _add_raw(drawn: go.Figure, rows: "DataFrame", scale: float, style: Style, target: str, panel: int) -> None:
    rows = rows.iloc[decimate(rows["raw"].to_numpy(dtype=float))]
    drawn.add_trace(
        go.Scatter(
            x=rows["x"],
            y=rows["raw"] * scale,
            mode="lines",
            line={"color": style.colour, "width": 1},
            opacity=_RAW,
            hoverinfo="skip",
            legendgroup=target,
            showlegend=False,
        ),
        row=panel,
        col=1,
    )


def _add_band(drawn: go.Figure, rows: "DataFrame", scale: float, style: Style, target: str, panel: int) -> None:
    """The area between low and high, without an outline; it is shown and hidden with its line."""
    kept = sorted({*decimate(rows["low"].to_numpy(dtype=float)), *decimate(rows["high"].to_numpy(dtype=float))})
    rows = rows.iloc[kept]
    red, green, blue = (int(style.colour[start : start + 2], 16) for start in (1, 3, 5))
    drawn.add_trace(
        go.Scatter(
            x=[*rows["x"], *rows["x"][::-1]],
            y=[scale * value for value in (*rows["high"], *rows["low"][::-1])],
            fill="toself",
            fillcolor=f"rgba({red},{green},{blue},{_BAND})",
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
            legendgroup=target,
            showlegend=False,
        ),
        row=panel,
        col=1,
    )


def _point(table: "DataFrame", words: Mapping[str, str]) -> str:
    """How the runs end: on Spearman if that is drawn, else on the first measure."""
    measures = names_of(table, "measure")
    measure = "spearman" if "spearman" in measures else measures[0]
    rows = rows_of(table, measure, "measure").rename(columns={"value": measure}).drop(columns="measure")
    named = words.get(measure, measure).split(",")[0]
    on = sorted(set(rows["on"])) if "on" in rows else []
    if len(on) > 1:
        return f"{named} is measured on {takeaway.together(on)}: the lines of different pairs cannot be compared."
    return takeaway.curves(rows.assign(step=rows["x"]), measure, f"{named} on {on[0]}" if any(on) else named)
