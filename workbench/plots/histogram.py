"""How many values lie where: residuals of pairs, gold scores, or neighbours that two encoders share."""

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from workbench.plots.takeaway import together
from workbench.plots.template import figure, label_of, names_of, rows_of, styles_for

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.plots.template import Style


def histogram(
    table: "DataFrame",
    *,
    axis: str,
    counted: str,
    point: str,
    limits: tuple[float, float],
    bins: int = 40,
    styles: "dict[str, Style] | None" = None,
    dark: bool = False,
) -> go.Figure:
    """Columns value and target, whose values are drawn over each other; `axis` names them, `counted` what they are values of.

    `limits` are where the first bin begins and the last one ends. With a column share, each value counts for that, and
    `counted` names the sums.
    """
    names = names_of(table)
    used = styles_for(table, styles, dark)
    edges = np.linspace(*limits, bins + 1)
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"Histogram: {axis} of {_whose(table, names, counted)}. {point}",
        yaxis={"title": counted, "rangemode": "tozero"},
        showlegend=len(names) > 1,
    )
    drawn.update_xaxes(title=axis)
    for name in names:
        rows = rows_of(table, name)
        heights = np.histogram(rows["value"], edges, weights=rows.get("share"))[0]
        drawn.add_trace(
            go.Scatter(
                x=np.repeat(edges, 2),
                y=np.concatenate([[0], np.repeat(heights, 2), [0]]),
                mode="lines",
                fill="toself" if len(names) == 1 else "none",
                line={"color": used[name].colour, "width": 1.6, "dash": used[name].dash},
                name=label_of(rows, name),
                hovertemplate=f"%{{x:.2f}}: %{{y}} {counted}<extra></extra>",
            )
        )
    return drawn


def _whose(table: "DataFrame", names: list[str], counted: str) -> str:
    return together(names) if "share" in table else f"{len(table) // len(names):,} {counted}"
