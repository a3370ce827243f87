"""The decision boundary of a contrastive loss with an angular margin, over the angles of real texts."""

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from workbench.plots.template import escaped, figure, in_lines, look

if TYPE_CHECKING:
    from pandas import DataFrame

RIGHT, WITHIN, WRONG = "right by more than the margin", "within the margin", "nearer to another text"


def decision_boundary(table: "DataFrame", margin: float, *, dark: bool = False) -> go.Figure:
    """Points of (angle with its own view, smallest angle with another text) and the lines where the second exceeds the first by
    nothing and by `margin` degrees. Columns: positive, negative (degrees), text.
    """
    table = table.dropna(subset=["positive", "negative"])
    colours = look(dark)
    sides = sides_of(table, margin)
    point = boundary_point(table, margin)
    end = float(np.ceil(np.nanmax([table["positive"].max(), table["negative"].max(), margin]) / 10) * 10)
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"{len(table)} texts by two angles, with the boundary of a margin of {margin:g} degrees. {point}",
        xaxis_title="angle between its own two views, degrees",
        yaxis_title="angle with the nearest other text, degrees",
    )
    for name, first, dash in ((f"margin {margin:g}°", margin, "solid"), ("no margin", 0.0, "dot")):
        drawn.add_trace(
            go.Scatter(
                x=[0, end - first],
                y=[first, end],
                mode="lines",
                name=name,
                line={"color": colours.ink, "width": 1.5, "dash": dash},
                hoverinfo="skip",
            )
        )
    looks = {
        RIGHT: (colours.random, "circle"),
        WITHIN: (colours.series[4], "diamond"),
        WRONG: (colours.negative, "x"),
    }
    for side, (colour, symbol) in looks.items():
        rows = table[sides == side]
        drawn.add_trace(
            go.Scatter(
                x=rows["positive"],
                y=rows["negative"],
                mode="markers",
                name=escaped(side),
                marker={"color": colour, "symbol": symbol, "size": 7, "opacity": 0.75},
                customdata=[in_lines(text) for text in rows["text"]],
                hovertemplate="%{customdata}<br>own view %{x:.1f}°, nearest other %{y:.1f}°<extra></extra>",
            )
        )
    drawn.update_xaxes(range=[0, end])
    drawn.update_yaxes(range=[0, end])
    return drawn


def sides_of(table: "DataFrame", margin: float) -> np.ndarray:
    """On which side of the two lines each text lies."""
    ahead = (table["negative"] - table["positive"]).to_numpy()
    return np.where(ahead < 0, WRONG, np.where(ahead < margin, WITHIN, RIGHT))


def boundary_point(table: "DataFrame", margin: float) -> str:
    """The shares of texts that no margin and this margin leave something to do.

    >>> import pandas
    >>> table = pandas.DataFrame({"positive": [10.0, 10.0, 30.0, 10.0], "negative": [15.0, 40.0, 20.0, 60.0]})
    >>> boundary_point(table, 10)
    'For 25 % of the texts another text is nearer than their own second view; with a margin of 10°, 50 % are not far enough.'
    """
    if table.empty:
        return "There is no text with another to compare it with."
    sides = sides_of(table, margin)
    wrong, short = float((sides == WRONG).mean()), float((sides != RIGHT).mean())
    return (
        f"For {100 * wrong:.0f} % of the texts another text is nearer than their own second view; with a margin of {margin:g}°, "
        f"{100 * short:.0f} % are not far enough."
    )
