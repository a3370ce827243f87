"""The cosines of pairs in each fifth of the gold scores, as filled histograms with their quartiles."""

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from workbench.plots import takeaway
from workbench.plots.template import figure, look

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

    from workbench.plots.template import Look

_BINS = 30
_WIDTH = 0.88
"""Of a bucket's room that its fullest bin takes up."""


def gold_buckets(
    pairs: "DataFrame",
    table: "DataFrame",
    *,
    selected: "DataFrame | None" = None,
    lowest: float = 1.0,
    colour: str = "",
    dark: bool = False,
) -> go.Figure:
    """A histogram of cosines in each bucket, drawn along the gold scores: its widths are shares of the bucket's pairs.

    `pairs` has columns bucket and cosine, `table` is that of `analysis.gold_buckets` over them. `selected`, some of the pairs,
    are drawn over them as outlines, in a scale of their own: a few of them fill few bins. A bar marks the quartiles, a line the
    median. The axis of cosines reaches from the lowest, or from `lowest` if that is lower, to 1: pass the lowest cosine of
    another figure to give both the same scale.
    """
    colours = look(dark)
    point = takeaway.gold_buckets(table)
    few = "" if selected is None else f" Outlines show the {len(selected):,} selected pairs."
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"Histograms of the cosines of {len(pairs):,} pairs in fifths of the gold scores, with quartiles.{few} {point}",
        xaxis={
            "title": "gold score",
            "tickvals": [*table["low"], table["high"].iloc[-1]],
            "range": [table["low"].iloc[0], table["high"].iloc[-1]],
            "showgrid": False,
        },
        yaxis={"title": "cosine", "range": [min(lowest, float(pairs["cosine"].min())) - 0.02, 1.02]},
        showlegend=False,
    )
    low, high = float(pairs["cosine"].min()), float(pairs["cosine"].max())
    edges = np.linspace(low, high if high > low else low + 1e-6, _BINS + 1)
    shares = {bucket: _shares(pairs, bucket, edges) for bucket in table["bucket"]}
    over = {} if selected is None else {bucket: _shares(selected, bucket, edges) for bucket in table["bucket"]}
    fullest, fullest_over = (
        max((float(found.max()) for found in bins.values()), default=0.0) for bins in (shares, over)
    )
    for row in table.to_dict("records"):
        if not row["n"]:
            continue
        room = _WIDTH * (row["high"] - row["low"])
        note = (
            f"gold {row['low']:g} to {row['high']:g}: {row['n']:,} pairs<br>median cosine {row['median']:.3f}, "
            f"middle half {row['q1']:.3f} to {row['q3']:.3f}<br>"
            f"{100 * row['share_above']:.0f} % above {table.attrs['high']:g}<extra></extra>"
        )
        x, y = _outline(row["low"], shares[row["bucket"]] * room / max(fullest, 1e-12), edges)
        drawn.add_trace(
            go.Scatter(
                x=x,
                y=y,
                mode="lines",
                fill="toself",
                opacity=0.55 if over else 0.9,
                line={"color": colour or colours.series[0], "width": 1},
                hoveron="points+fills",
                hovertemplate=note,
                name=f"gold {row['low']:g} to {row['high']:g}",
            )
        )
        if over and over[row["bucket"]].any():
            x, y = _outline(row["low"], over[row["bucket"]] * room / max(fullest_over, 1e-12), edges)
            drawn.add_trace(
                go.Scatter(
                    x=x, y=y, mode="lines", line={"color": colours.ink, "width": 1.6}, hoverinfo="skip", name="selected"
                )
            )
        _quartiles(drawn, row, colours)
    return drawn


def _shares(pairs: "DataFrame", bucket: int, edges: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """The share of a bucket's pairs in each bin; zeros if it is empty."""
    inside = pairs.loc[pairs["bucket"] == bucket, "cosine"]
    counts = np.histogram(inside, edges)[0]
    return counts / max(1, len(inside))


def _outline(
    left: float, widths: "NDArray[np.float64]", edges: "NDArray[np.float64]"
) -> tuple[list[float], list[float]]:
    """The corners of the bars of a histogram that lies on its side, without empty bins at its ends."""
    full = np.flatnonzero(widths)
    first, last = (int(full[0]), int(full[-1])) if len(full) else (0, 0)
    x, y = [left], [float(edges[first])]
    for number in range(first, last + 1):
        x += [left + float(widths[number])] * 2
        y += [float(edges[number]), float(edges[number + 1])]
    return [*x, left], [*y, float(edges[last + 1])]


def _quartiles(drawn: go.Figure, row: "dict[str, float]", colours: "Look") -> None:
    """A bar over the middle half, at the left of the bucket, and a line at the median."""
    left, width = row["low"], row["high"] - row["low"]
    bar = left + 0.03 * width
    drawn.add_trace(
        go.Scatter(
            x=[bar, bar],
            y=[row["q1"], row["q3"]],
            mode="lines",
            line={"color": colours.ink, "width": 4},
            hoverinfo="skip",
            name="middle half",
        )
    )
    drawn.add_trace(
        go.Scatter(
            x=[left, left + 0.3 * width],
            y=[row["median"]] * 2,
            mode="lines",
            line={"color": colours.ink, "width": 2},
            hoverinfo="skip",
            name="median",
        )
    )
