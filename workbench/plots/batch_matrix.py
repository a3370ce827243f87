"""The similarity matrix of a batch: each text of one view with each of the other, the positives on the diagonal."""

from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from workbench.plots.takeaway import number
from workbench.plots.template import colour_bar, figure, hover, look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import ndarray
    from pandas import DataFrame


def batch_matrix(
    similarity: "ndarray",
    rows: "Sequence[str]",
    candidates: "Sequence[str]",
    negatives: "DataFrame",
    *,
    dark: bool = False,
) -> go.Figure:
    """Heat map of cosines, texts on hover. Likely false negatives, the rows of `negatives` with a `kind`, are ringed.

    `negatives`: row, candidate, cosine, kind. Candidates beyond the rows are hard negatives of a view of their own.
    """
    colours = look(dark)
    count, width = similarity.shape
    false = negatives[negatives["kind"] != ""]
    positive = [float(similarity[place, place]) for place in range(min(count, width))]
    above = negatives.groupby("row")["cosine"].max()
    lost = int(sum(above.get(place, -1.0) > value for place, value in enumerate(positive)))
    point = (
        f"Positives have a mean cosine of {number(sum(positive) / len(positive))}, negatives of "
        f"{number(float(negatives['cosine'].mean()))}; "
        + (
            f"for {lost} of {count} texts a negative is closer than the positive."
            if lost
            else "no negative is closer than its positive."
        )
    )
    alt = f"Heat map of the cosines of {count} texts with {width} candidates. {point}"
    drawn = figure(dark=dark, takeaway=point, alt=alt, showlegend=False)
    shown = [[hover(text, lines=2) for text in texts] for texts in (rows, candidates)]
    drawn.add_trace(
        go.Heatmap(
            z=similarity.round(4),
            x=list(range(1, width + 1)),
            y=list(range(1, count + 1)),
            # The middle is where most of a space is narrow: colour spans what is there.
            zmin=float(similarity.min()),
            zmax=1.0,
            colorscale=[(0.0, colours.paper), (1.0, colours.random)],
            colorbar=colour_bar("cosine"),
            hovertext=_pairs(*shown),
            hovertemplate="%{hovertext}<br>cosine %{z:.3f}<extra></extra>",
        )
    )
    drawn.add_trace(
        go.Scatter(
            x=[int(place) + 1 for place in false["candidate"]],
            y=[int(place) + 1 for place in false["row"]],
            mode="markers",
            marker={"symbol": "square-open", "size": 8, "line": {"color": colours.negative, "width": 2}},
            hoverinfo="skip",
        )
    )
    if width > count:
        drawn.add_vline(x=count + 0.5, line={"color": colours.ink, "width": 1})
        drawn.add_annotation(x=count + 1, y=1, yref="paper", yanchor="bottom", xanchor="left", text="hard negatives")
    drawn.update_xaxes(title_text="second view", showgrid=False, constrain="domain", constraintoward="left")
    drawn.update_yaxes(
        title_text="first view", showgrid=False, autorange="reversed", scaleanchor="x", constrain="domain"
    )
    drawn.update_layout(margin={"l": 56, "r": 8, "t": 72, "b": 48})
    return drawn


def _pairs(rows: list[str], candidates: list[str]) -> list[list[Any]]:
    return [
        [
            f"{place + 1}. {row}<br>{number_ + 1}. {other}" + ("<br>the positive" if place == number_ else "")
            for number_, other in enumerate(candidates)
        ]
        for place, row in enumerate(rows)
    ]
