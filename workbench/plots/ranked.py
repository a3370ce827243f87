"""Rows with a value each, the largest on top, as dots: what is ranked has names that are sentences."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.plots.template import Style, escaped, figure, in_lines, look, names_of, rows_of, styles

if TYPE_CHECKING:
    from pandas import DataFrame

_FEW = 12
"""Up to so many rows, names take two lines; of more, one, which print breaks where there is no room."""
_LETTERS, _LONGEST = 26, 60
"""Of a line of a name: a tick may take two fifths of a column."""
_ROW_PX = (22, 36)
"""Height of a row whose name takes one line or two."""


def ranked(
    table: "DataFrame",
    *,
    axis: str,
    counted: str,
    point: str,
    limits: tuple[float, float],
    chosen: str = "",
    dark: bool = False,
) -> go.Figure:
    """A dot for each row of the table, at its value; `axis` names the values, `counted` the rows.

    Columns: label, value; optional: group, which determines colour and symbol, and note, written beside the dot. If one of the
    labels is `chosen`, its dot is filled and all others are open.
    """
    rows = table.sort_values("value", ascending=False, kind="stable").reset_index(drop=True)
    width, lines = (_LETTERS, 2) if len(rows) <= _FEW else (_LONGEST, 1)
    names = [in_lines(label, width=width, lines=lines) for label in rows["label"]]
    groups = names_of(table, "group")
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"Dots of {axis} for {len(rows)} {counted}, the largest on top. {point}",
        height=110 + _ROW_PX[lines - 1] * len(rows),
        showlegend=len(groups) > 1,
        xaxis={"title": {"text": axis}, "range": limits},
        yaxis={"tickvals": list(rows.index), "ticktext": names, "range": [len(rows) - 0.4, -0.6], "ticks": ""},
    )
    known = styles(groups, dark=dark)
    for group in groups:
        mine, style = rows_of(rows, group, "group"), known[group]
        filled = mine["label"] == chosen
        drawn.add_trace(_dots(mine[~filled], names, style, group, hollow=bool(chosen), listed=True))
        if filled.any():
            drawn.add_trace(_dots(mine[filled], names, style, group, hollow=False, listed=False))
    for place, row in enumerate(rows.to_dict("records") if "note" in rows else []):
        drawn.add_annotation(
            x=row["value"], y=place, text=escaped(row["note"]), xanchor="left", xshift=9, font={"color": look(dark).ink}
        )
    return drawn


def _dots(rows: "DataFrame", names: list[str], style: Style, group: str, *, hollow: bool, listed: bool) -> go.Scatter:
    return go.Scatter(
        x=rows["value"],
        y=list(rows.index),
        mode="markers",
        name=escaped(group),
        legendgroup=group,
        showlegend=listed,
        marker={
            "size": 9,
            "symbol": f"{style.symbol}{'-open' if hollow else ''}",
            "color": style.colour,
            "line": {"width": 2, "color": style.colour},
        },
        customdata=[names[row] for row in rows.index],
        hovertemplate="%{customdata}: %{x:.3g}<extra></extra>",
    )
