"""The cosines of positives and of random pairs: histograms, densities, and the area that both share."""

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from workbench.plots import takeaway
from workbench.plots.template import figure, look

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

_BINS = 40


def cosine_overlap(
    positives: "NDArray[np.floating]",
    random: "NDArray[np.floating]",
    table: "DataFrame",
    *,
    selected: "DataFrame | None" = None,
    lowest: float = 1.0,
    dark: bool = False,
) -> go.Figure:
    """Histograms of both, as densities, with the curves of `table`, that of `analysis.cosine_overlap`; the area below both is
    filled. `selected` is such a table of selected pairs, drawn over it as dotted curves. `lowest` as in
    `plots.gold_buckets`.
    """
    colours = look(dark)
    point = takeaway.cosine_overlap(table)
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"Histograms of the cosines of {len(positives):,} positives and {len(random):,} random pairs. {point}",
        yaxis={"title": "density", "rangemode": "tozero", "showticklabels": False},
    )
    everything = np.concatenate([positives, random])
    low, high = float(everything.min()), float(everything.max())
    drawn.update_xaxes(title="cosine", range=[min(lowest, low) - 0.04, 1.04])
    edges = np.linspace(low, high if high > low else low + 1e-6, _BINS + 1)
    known = not table["positives"].isna().any()
    if known:
        shared = np.minimum(table["positives"], table["random"])
        drawn.add_trace(
            go.Scatter(
                x=[table["cosine"].iloc[0], *table["cosine"], table["cosine"].iloc[-1]],
                y=[0.0, *shared, 0.0],
                mode="lines",
                fill="toself",
                line={"color": colours.quiet, "width": 0},
                hoverinfo="skip",
                showlegend=False,
                name="below both",
            )
        )
    for name, sample, colour, dash in (
        ("random", random, colours.random, "dash"),
        ("positives", positives, colours.positive, "solid"),
    ):
        label = "random pairs" if name == "random" else name
        x, y = _steps(np.histogram(sample, edges, density=True)[0] if len(sample) else np.zeros(_BINS), edges)
        drawn.add_trace(
            go.Scatter(
                x=x,
                y=y,
                mode="lines",
                fill="toself",
                opacity=0.35,
                line={"color": colour, "width": 0.5},
                hoverinfo="skip",
                showlegend=not known,
                name=f"{label}, n = {len(sample):,}",
            )
        )
        if known:
            drawn.add_trace(
                go.Scatter(
                    x=table["cosine"],
                    y=table[name],
                    mode="lines",
                    line={"color": colour, "width": 2.2, "dash": dash},
                    hovertemplate=f"{label}, cosine %{{x:.2f}}<extra></extra>",
                    name=f"{label}, n = {len(sample):,}",
                )
            )
        if selected is not None and not selected[name].isna().any():
            drawn.add_trace(
                go.Scatter(
                    x=selected["cosine"],
                    y=selected[name],
                    mode="lines",
                    line={"color": colour, "width": 2.2, "dash": "dot"},
                    hovertemplate=f"selected {label}, cosine %{{x:.2f}}<extra></extra>",
                    name=f"selected {label}, n = {selected.attrs[name]:,}",
                )
            )
    return drawn


def _steps(
    heights: "NDArray[np.float64]", edges: "NDArray[np.float64]"
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """The corners of the bars of a histogram, from its left foot to its right one."""
    return np.repeat(edges, 2), np.concatenate([[0.0], np.repeat(heights, 2), [0.0]])
