"""Dropout views by several targets, or with several seeds, as panels of one figure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from workbench.plots import takeaway
from workbench.plots.projection import PLANE_AXES, add_star
from workbench.plots.template import dress, in_lines, styles

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = 2
"""Panels side by side, which are still wide enough on a phone."""
ROW_PX, HEAD_PX, TITLE_PX = 280, 90, 40
"""Height of a row of panels, of the legend above all, and of a title in two lines."""
_LETTERS = 26
"""Of a title, in a line."""


def view_panels(
    tables: "Sequence[DataFrame]", titles: Sequence[str], *, labels: Sequence[str] = (), dark: bool = False
) -> go.Figure:
    """Tables of `analysis.dropout_views` over the same texts, each a panel of stars: the views of a text joined to their mean.

    A text has one colour and symbol in all panels; `labels` name the texts. The axes of a panel are its own, both in one unit.
    """
    texts = list(dict.fromkeys(tables[0]["row"]))
    point = takeaway.view_panels(tables, titles)
    rows = -(-len(tables) // COLUMNS)
    methods = list(dict.fromkeys(str(table.attrs.get("method", "pca")) for table in tables))
    drawn = make_subplots(
        rows=rows,
        cols=min(COLUMNS, len(tables)),
        subplot_titles=[in_lines(title, width=_LETTERS, lines=2) for title in titles],
        horizontal_spacing=0.06,
        vertical_spacing=(TITLE_PX + 16) / (ROW_PX * rows),
    )
    dress(
        drawn,
        dark=dark,
        takeaway=point,
        alt=f"{tables[0]['view'].nunique()} dropout views of {len(texts)} texts in {len(tables)} panels, each view joined to the "
        f"mean of its text. {point}",
        height=ROW_PX * rows + HEAD_PX + 50,
        margin={"t": HEAD_PX, "b": 50},
        legend={"y": 1 + TITLE_PX / (ROW_PX * rows)},
    )
    known = styles([str(row) for row in texts], dark=dark)
    for number, table in enumerate(tables):
        row, column = number // COLUMNS + 1, number % COLUMNS + 1
        for place, text in enumerate(texts):
            label = labels[place] if labels else f"text {text + 1}"
            add_star(
                drawn, table[table["row"] == text], known[str(text)], label, legend=not number, row=row, col=column
            )
        drawn.update_xaxes(showticklabels=False, ticks="", row=row, col=column)
        drawn.update_yaxes(showticklabels=False, ticks="", row=row, col=column)
        if table.attrs.get("method", "pca") not in ("umap", "tsne"):
            drawn.update_yaxes(scaleanchor=f"x{number + 1}" if number else "x", scaleratio=1, row=row, col=column)
    title = PLANE_AXES[methods[0]][0] if len(methods) == 1 else "directions of the plane"
    drawn.update_xaxes(title=title, row=rows, col=1)
    for annotation in drawn.layout.annotations:
        annotation.update(font={"size": 12})
    return drawn
