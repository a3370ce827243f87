"""Cosines of partners and of random pairs: two hills, far apart or one on the other."""

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from workbench.plots import takeaway
from workbench.plots.template import dress, head_panels, label_of, look, names_of, rows_of

if TYPE_CHECKING:
    from pandas import DataFrame

_EDGES = np.linspace(-1, 1, 81)
_WORDS = {"positive": "partners", "random": "random pairs", "negative": "negatives"}
_DASH = {"positive": "solid", "random": "dash", "negative": "dot"}
_PATTERN = {"positive": "", "random": "/", "negative": "."}


def histogram(table: "DataFrame", *, dark: bool = False) -> go.Figure:
    """Share of pairs in bins of .025 cosine, one outline a kind; a panel for each target, on the same axes.

    Columns: cosine, kind (`positive`, `random` or `negative`); if there, target, label. Kinds keep their colours in
    all views. The share is that of the kind's own pairs, so kinds of different number can be compared.
    """
    names, colours = names_of(table), look(dark)
    point = takeaway.histogram(table) if len(table) else "There are no pairs to draw."
    drawn = make_subplots(
        rows=len(names),
        shared_xaxes=True,
        vertical_spacing=0.1,
        subplot_titles=[label_of(rows_of(table, name), name) for name in names] if names != [""] else None,
    )
    kinds = [kind for kind in _WORDS if (table["kind"] == kind).any()]
    dress(
        drawn,
        dark=dark,
        takeaway=point,
        alt=f"Distribution of the cosine of {', '.join(_WORDS[kind] for kind in kinds)}. {point}",
        height=max(300, 190 * len(names) + 90),
    )
    for panel, name in enumerate(names, 1):
        rows = rows_of(table, name)
        for kind in kinds:
            cosines = rows.loc[rows["kind"] == kind, "cosine"].dropna().to_numpy().clip(-1, 1)
            counts, _ = np.histogram(cosines, _EDGES)
            colour = getattr(colours, kind)
            drawn.add_trace(
                go.Scatter(
                    x=_EDGES,
                    y=np.append(counts, 0) / max(1, len(cosines)),
                    mode="lines",
                    name=f"{_WORDS[kind]}, n = {len(cosines):,}" if len(names) == 1 else _WORDS[kind],
                    legendgroup=kind,
                    showlegend=panel == 1,
                    line={"color": colour, "width": 1.8, "dash": _DASH[kind], "shape": "hv"},
                    fill="tozeroy",
                    fillpattern={"shape": _PATTERN[kind], "fgcolor": colour, "fgopacity": 0.35, "size": 6},
                    hovertemplate=f"{_WORDS[kind]}: %{{y:.1%}} from cosine %{{x:.3f}}<extra></extra>",
                ),
                row=panel,
                col=1,
            )
    drawn.update_yaxes(tickformat=".0%", rangemode="tozero", title_text="share of pairs")
    head_panels(drawn)
    low = min(-0.25, float(table["cosine"].min()) - 0.05) if len(table) else -1
    drawn.update_xaxes(range=[max(-1.02, low), 1.02])
    drawn.update_xaxes(title_text="cosine", row=len(names), col=1)
    return drawn
