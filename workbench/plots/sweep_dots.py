"""Unordered settings, or a tournament, as ranked dots with intervals over seeds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.plots.sweep_takeaway import axis_name, details, directed, of_grid, of_tournament, value_label
from workbench.plots.template import GREY, escaped, figure, look

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_ROWS = 200
"""How many settings are drawn, the best ones."""
_LONGEST = 34
_ROW_PX = 30
_SYMBOLS = {"positive": "circle", "negative": "diamond", "baseline": "square"}


def sweep_dots(
    table: "DataFrame",
    points: "DataFrame",
    *,
    axes: Sequence[str],
    words: str,
    scale: float = 1.0,
    higher: bool = True,
    dark: bool = False,
) -> go.Figure:
    """One row per setting, the best mean on top; in a tournament (a table with a column `role`) a line marks the run without
    augmentation.

    `table` is that of `Sweep.summary`, `points` that of `Sweep.results`. In a tournament filled dots differ from the run
    without augmentation beyond noise, and open ones are ties or undecided; in a grid the filled dot is the leading setting.
    """
    contest = "role" in table
    point = (
        of_tournament(table, words=words, scale=scale)
        if contest
        else of_grid(table, axes, words=words, scale=scale, higher=higher)
    )
    colours = look(dark)
    known = table[table["n"] > 0].sort_values("mean", ascending=not higher, kind="stable").reset_index(drop=True)
    every = len(known)
    only = f", the best {MOST_ROWS} of {every:,}" if every > MOST_ROWS else ""
    known = known.head(MOST_ROWS)
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"Dots of {words}, ranked, with intervals over seeds{only}. {point}",
        height=max(220, _ROW_PX * len(known) + 120),
        xaxis={"title": {"text": directed(words, higher) + only}},
        yaxis={
            "tickvals": list(range(len(known))),
            "ticktext": [_label(row, axes, contest) for row in known.to_dict("records")],
            "range": [len(known) - 0.4, -0.6],
            "showgrid": True,
        },
    )
    places = {tuple(row[axis] for axis in axes): at for at, row in enumerate(known.to_dict("records"))}
    seen = points.dropna(subset=["value"])
    if every > MOST_ROWS:
        seen = seen[[key in places for key in zip(*(seen[axis] for axis in axes), strict=True)]]
    at = [places[tuple(row[axis] for axis in axes)] for row in seen.to_dict("records")]
    drawn.add_trace(
        go.Scatter(
            x=scale * seen["value"].astype(float),
            y=at,
            mode="markers",
            marker={"size": 5, "color": colours.quiet, "opacity": 0.5},
            showlegend=False,
            customdata=[escaped(f"seed {seed}") for seed in seen["seed"]],
            hovertemplate="%{customdata}: %{x:.2f}<extra></extra>",
        )
    )
    roles = list(dict.fromkeys(known["role"])) if contest else [""]
    decided = ["better", "worse"] if contest else ["reference"] if known["n"].max() > 1 else []
    for role in sorted(roles, key=lambda name: list(_SYMBOLS).index(name) if name in _SYMBOLS else 9):
        rows = known[known["role"] == role] if contest else known
        colour = {"positive": colours.positive, "negative": colours.negative, "baseline": GREY}.get(
            role, colours.series[0]
        )
        apart = rows["standing"].isin(decided)
        drawn.add_trace(
            go.Scatter(
                x=scale * rows["mean"].astype(float),
                y=list(rows.index),
                error_x={"array": (scale * (rows["high"] - rows["mean"])).fillna(0), "color": colour, "thickness": 1.4},
                mode="markers",
                name={"baseline": "no augmentation"}.get(role, f"as {role}"),
                marker={
                    "size": 10,
                    "symbol": _SYMBOLS.get(role, "circle"),
                    "color": [colour if full else colours.paper for full in apart],
                    "line": {"width": 2, "color": colour},
                },
                customdata=[escaped(details(row, axes, scale=scale)) for row in rows.to_dict("records")],
                hovertemplate="%{customdata}<extra></extra>",
            )
        )
    if contest:
        base = known[known["role"] == "baseline"]
        for mean in base["mean"]:
            drawn.add_vline(x=scale * float(mean), line={"dash": "dot", "width": 1.2, "color": colours.quiet})
    drawn.update_layout(showlegend=contest and len(roles) > 1)
    return drawn


def _label(row: "dict[str, object]", axes: Sequence[str], contest: bool) -> str:
    if contest:
        name = str(row["augmentation"]) or "no augmentation"
    else:
        alone = len(axes) == 1
        name = ", ".join(
            value_label(row[axis]) if alone else f"{axis_name(axis)} {value_label(row[axis])}" for axis in axes
        )
    short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    return escaped(f"{short} (tie)" if row["standing"] == "tie" else short)
