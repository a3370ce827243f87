"""Whether augmentations pull the encoder in the same direction: cosines between the gradients that they cause."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.plots.takeaway import number
from workbench.plots.template import colour_bar, escaped, figure, ground, look

if TYPE_CHECKING:
    from pandas import DataFrame

ALONE, AGAIN = "", "again"
_NAMES = {ALONE: "dropout alone", AGAIN: "dropout alone, drawn again"}
_LONGEST = 30


def gradient_name(pipeline: str) -> str:
    """The label of a pipeline in a figure.

    >>> gradient_name("")
    'dropout alone'
    """
    name = _NAMES.get(pipeline, pipeline)
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def gradient_cosines(cosines: "DataFrame", *, dark: bool = False) -> go.Figure:
    """Heat map with the value in each cell. Columns: first, second, cosine; the names "" and "again" mean dropout alone."""
    colours = look(dark)
    matrix = cosines.pivot(index="first", columns="second", values="cosine")
    order = list(dict.fromkeys(cosines["first"]))
    matrix = matrix.loc[order, order]
    names = _distinct([gradient_name(name) for name in order])
    point = _point(matrix, order, names)
    alt = f"Heat map of cosines between the gradients of {len(order)} augmentations. {point}"
    drawn = figure(dark=dark, takeaway=point, alt=alt, showlegend=False)
    drawn.add_trace(
        go.Heatmap(
            z=matrix.to_numpy().round(4),
            x=[escaped(name) for name in names],
            y=[escaped(name) for name in names],
            zmin=-1.0,
            zmax=1.0,
            colorscale=[
                (0.0, ground(colours.negative, dark)),
                (0.5, colours.paper),
                (1.0, ground(colours.random, dark)),
            ],
            colorbar=colour_bar("cosine", tickvals=[-1, 0, 1]),
            texttemplate="%{z:.2f}",
            textfont={"color": colours.ink},
            xgap=1,
            ygap=1,
            hovertemplate="%{y}<br>%{x}<br>cosine %{z:.3f}<extra></extra>",
        )
    )
    drawn.update_xaxes(showgrid=False, ticks="", tickangle=-35)
    drawn.update_yaxes(showgrid=False, ticks="", autorange="reversed")
    drawn.update_layout(margin={"l": 16, "r": 8, "t": 72, "b": 16})
    return drawn


def _distinct(names: list[str]) -> list[str]:
    """Number repeated names, because Plotly merges rows of the same name."""
    return [name if names.index(name) == place else f"{name} ({place})" for place, name in enumerate(names)]


def _point(matrix: "DataFrame", order: list[str], names: list[str]) -> str:
    own = [(place, name) for place, name in enumerate(order) if name not in (ALONE, AGAIN)]
    floor = float(matrix.loc[ALONE, AGAIN]) if {ALONE, AGAIN} <= set(order) else None
    said = f"The gradients of two draws of dropout alone have cosine {number(floor)}. " if floor is not None else ""
    if not own:
        return said.strip() or "Nothing was compared."
    pairs = [(float(matrix.iloc[i, j]), names[i], names[j]) for i, _ in own for j, _ in own if i < j]
    pairs = pairs or [(float(matrix.iloc[place, order.index(ALONE)]), names[place], _NAMES[ALONE]) for place, _ in own]
    least, one, other = min(pairs)
    pull = "pull against each other" if number(least).startswith("−") else "agree least"
    return f"{said}{one} and {other} {pull}: cosine {number(least)}."
