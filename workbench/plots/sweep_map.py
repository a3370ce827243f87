"""A grid over two settings: one cell per pair of values, with its mean and the number of seeds behind it."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.core.records import Row
from workbench.plots.sweep_takeaway import axis_name, details, directed, leaders, of_grid, value_label
from workbench.plots.takeaway import number
from workbench.plots.template import escaped, figure, ground, look

if TYPE_CHECKING:
    from pandas import DataFrame

_LONGEST = 26
_ROW_PX = 46
_MOST_PX = 1600
_LETTERS = 40
"""If the column names have more letters than this in total, they are slanted to fit a narrow page."""


def sweep_map(
    table: "DataFrame",
    *,
    down: str,
    across: str,
    words: str,
    scale: float = 1.0,
    higher: bool = True,
    dark: bool = False,
) -> go.Figure:
    """Values of `down` as rows, of `across` as columns; a stronger colour is better. The leading cell has a thick frame, its
    ties a thin dotted one.

    `table` is that of `Sweep.summary`. A pair without a finished run stays empty. With at most one seed per cell nothing
    can be told apart, so no cell has a frame.
    """
    point = of_grid(table, [down, across], words=words, scale=scale, higher=higher)
    colours = look(dark)
    rows = list(dict.fromkeys(value_label(value) for value in table[down]))
    columns = list(dict.fromkeys(value_label(value) for value in table[across]))
    cells: dict[tuple[str, str], Row] = {
        (value_label(row[down]), value_label(row[across])): row for row in table.to_dict("records")
    }
    grid = [[cells.get((row, column)) for column in columns] for row in rows]
    values = [[scale * cell["mean"] if cell and cell["n"] else None for cell in line] for line in grid]
    known = [value for line in values for value in line if value is not None]
    low = min(known, default=0.0)
    span = max(known, default=0.0) - low or 1.0
    axes = [down, across]
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"Heat map of {directed(words, higher)}: {axis_name(down)} down, {axis_name(across)} across. {point}",
        height=min(max(260, _ROW_PX * len(rows) + 130), _MOST_PX),
        margin={"t": 20},
        xaxis={
            "title": {"text": axis_name(across)},
            "tickvals": list(range(len(columns))),
            "ticktext": _short(columns),
            "showgrid": False,
            "range": [-0.5, len(columns) - 0.5],
            "ticklabeloverflow": "allow",
            **({"tickangle": -40} if sum(map(len, columns)) > _LETTERS else {}),
        },
        yaxis={
            "title": {"text": axis_name(down)},
            "tickvals": list(range(len(rows))),
            "ticktext": _short(rows),
            "showgrid": False,
            "range": [len(rows) - 0.5, -0.5],
        },
    )
    drawn.add_trace(
        go.Heatmap(
            z=values,
            text=[[_text(cell, scale) for cell in line] for line in grid],
            zmin=low,
            zmax=low + span,
            colorscale=[(0.0, colours.grid), (1.0, ground(colours.series[0], dark))],
            reversescale=not higher,
            showscale=False,
            xgap=2,
            ygap=2,
            hoverongaps=False,
            customdata=[[escaped(details(cell, axes, scale=scale)) if cell else "" for cell in line] for line in grid],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    repeated = table["n"].max() > 1
    first = (
        {(value_label(row[down]), value_label(row[across])) for row in leaders(table, scale).to_dict("records")}
        if repeated
        else set()
    )
    for y, line in enumerate(grid):
        for x, cell in enumerate(line):
            if cell and cell["n"]:
                drawn.add_annotation(
                    x=x, y=y, text=_text(cell, scale), showarrow=False, font={"color": colours.ink, "size": 12}
                )
            if repeated and cell and cell["standing"] in ("reference", "tie"):
                best = (rows[y], columns[x]) in first
                drawn.add_shape(
                    type="rect",
                    x0=x - 0.47,
                    x1=x + 0.47,
                    y0=y - 0.45,
                    y1=y + 0.45,
                    line={"color": colours.ink, "width": 3 if best else 1.2, "dash": "solid" if best else "dot"},
                )
            elif not (cell and cell["n"]):
                drawn.add_annotation(x=x, y=y, text="–", showarrow=False, font={"color": colours.quiet})
    return drawn


def _text(cell: Row | None, scale: float) -> str:
    if not cell or not cell["n"]:
        return ""
    few = f" of {int(cell['wanted'])}" if cell["n"] < cell["wanted"] else ""
    return f"{number(scale * cell['mean'])}<br>n = {int(cell['n'])}{few}"


def _short(names: list[str]) -> list[str]:
    return [escaped(name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…") for name in names]
