"""An adaptive sweep: how much each setting matters, and the value of every trial over each setting."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.plots.sweep_takeaway import axis_name
from workbench.plots.template import escaped, figure, look

if TYPE_CHECKING:
    from pandas import DataFrame

_LOG_FROM = 20
"""The axis is logarithmic if its largest value is at least this many times its smallest."""


def importance(table: "DataFrame", *, dark: bool = False) -> go.Figure:
    """Bars of the share of the variance that each setting explains; `table` is that of `Tuning.importance`."""
    if len(table):
        first = table.iloc[0]
        name = axis_name(str(first["setting"]))
        point = f"{name[:1].upper()}{name[1:]} matters most: {100 * first['importance']:.0f} % of the variance."
    else:
        point = "Too few complete trials to say what matters."
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"Bars of the share of the variance of Spearman over the trials, by setting. {point}",
        xaxis={"title": {"text": "share of the variance, by fANOVA"}, "range": [0, 1]},
        yaxis={"title": {"text": ""}, "autorange": "reversed"},
        height=120 + 40 * max(1, len(table)),
    )
    drawn.add_trace(
        go.Bar(
            x=list(table["importance"]),
            y=[escaped(axis_name(str(name))) for name in table["setting"]],
            orientation="h",
            marker={"color": look(dark).ink},
            hovertemplate="%{y}: %{x:.2f}<extra></extra>",
        )
    )
    return drawn


def slices(table: "DataFrame", *, dark: bool = False) -> go.Figure:
    """One panel a setting: its value on x, Spearman x 100 on y; `table` is that of `Tuning.trials`. Stopped trials are left
    out.
    """
    settings = [str(name) for name in table.columns[4:]]
    known = table.dropna(subset=["value"])
    point = "No trial has ended yet."
    if len(known):
        best = known.loc[known["value"].idxmax()]
        chosen = ", ".join(f"{axis_name(name)} {_label(best[name])}" for name in settings)
        point = f"Best of {len(known)}: {100 * best['value']:.2f} with {chosen}."
    drawn = figure(
        dark=dark,
        takeaway=escaped(point),
        alt=f"Spearman of every trial over {', '.join(map(axis_name, settings)) or 'nothing'}. {point}",
        xaxis={"title": {"text": escaped(axis_name(settings[0])) if settings else "setting"}},
        yaxis={"title": {"text": "Spearman × 100 of the probe"}},
        height=380,
    )
    width = 1 / max(1, len(settings))
    for at, name in enumerate(settings):
        axis = "" if not at else str(at + 1)
        values = list(known[name])
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        log = numbers and bool(values) and min(values) > 0 and max(values) / min(values) >= _LOG_FROM
        about = {
            "title": {"text": escaped(axis_name(name))},
            "domain": [at * width, (at + 1) * width - (min(0.1, 0.4 * width) if at + 1 < len(settings) else 0)],
        }
        drawn.update_layout({f"xaxis{axis}": {**about, "type": "log" if log else "linear" if numbers else "category"}})
        drawn.add_trace(
            go.Scatter(
                x=values if numbers else [escaped(_label(value)) for value in values],
                y=[100 * value for value in known["value"]],
                xaxis=f"x{axis}",
                mode="markers",
                marker={"size": 8, "color": look(dark).ink, "opacity": 0.7},
                customdata=[escaped(f"trial {number}") for number in known["trial"]],
                hovertemplate="%{customdata}: %{x}, %{y:.2f}<extra></extra>",
                showlegend=False,
            )
        )
    return drawn


def _label(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value) or "none"
