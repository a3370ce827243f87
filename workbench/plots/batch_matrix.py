"""The similarity matrix of a batch: each text with each of its candidates, in one block per view."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.plots.takeaway import number
from workbench.plots.template import colour_bar, figure, in_lines, look

if TYPE_CHECKING:
    from numpy import ndarray
    from pandas import DataFrame


Blocks = Sequence[tuple[str, int]]
"""The label and size of each block of rows or candidates."""


def batch_matrix(
    similarity: "ndarray",
    rows: Sequence[str],
    candidates: Sequence[str],
    negatives: "DataFrame",
    *,
    among: "ndarray | None" = None,
    partner: "ndarray | None" = None,
    lines: Blocks = (),
    columns: Blocks = (),
    of: Sequence[str] = (),
    against: Mapping[str, Sequence[str]] | None = None,
    dark: bool = False,
) -> go.Figure:
    """Heat map of cosines with the texts on hover. Likely false negatives, rows of `negatives` with a `kind`, are outlined.

    `similarity`, (rows, candidates), holds cosines; `negatives` has the columns row, candidate, cosine, kind. `among`, bool
    (rows, candidates), says which candidates a row has (default: all); the other cells are blank. `partner`, (rows,), is the
    index of each row's positive (default: the candidate with the same index). `lines` and `columns` are blocks of rows and of
    candidates, separated by lines. `of` names for each candidate the view whose text it is compared with; `against` holds
    the texts of that view, one per row. An empty `of` stands for `rows`.
    """
    import numpy as np

    colours = look(dark)
    count, width = similarity.shape
    places = np.arange(count)
    own = places if partner is None else np.asarray(partner)
    false = negatives[negatives["kind"] != ""]
    positive = similarity[places, own]
    above = negatives.groupby("row")["cosine"].max().reindex(places, fill_value=-1.0).to_numpy()
    lost = int((above > positive).sum())
    point = f"Positives have a mean cosine of {number(float(positive.mean()))}"
    if len(negatives):
        point += f", negatives of {number(float(negatives['cosine'].mean()))}; " + (
            f"for {lost} of {count} {'texts' if len(lines) < 2 else 'rows'} a negative is closer than the positive."
            if lost
            else "no negative is closer than its positive."
        )
    else:
        point += "; there are no negatives."
    alt = f"Heat map of the cosines of {count} texts with {width} candidates. {point}"
    drawn = figure(dark=dark, takeaway=point, alt=alt, showlegend=False)
    down, across = ([in_lines(text, lines=2) for text in texts] for texts in (rows, candidates))
    texts_of = {view: [in_lines(text, lines=2) for text in texts] for view, texts in (against or {}).items()}
    there = similarity if among is None else np.where(among, similarity, np.nan)
    drawn.add_trace(
        go.Heatmap(
            z=there.round(4),
            x=list(range(1, width + 1)),
            y=list(range(1, count + 1)),
            # The colours span the values present: in a narrow space nearly all cosines are close together.
            zmin=float(np.nanmin(there)),
            zmax=1.0,
            colorscale=[(0.0, colours.paper), (1.0, colours.random)],
            colorbar=colour_bar("cosine"),
            hovertext=_pairs(across, own.tolist(), of or [""] * width, {"": down, **texts_of}),
            hovertemplate="%{hovertext}<br>cosine %{z:.3f}<extra></extra>",
            hoverongaps=False,
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
    _part(drawn, lines, colours.ink, across=False)
    _part(drawn, columns, colours.ink, across=True)
    drawn.update_xaxes(title_text="candidates", showgrid=False, constrain="domain", constraintoward="left")
    drawn.update_yaxes(
        title_text="texts" if len(lines) < 2 else None,
        showgrid=False,
        autorange="reversed",
        scaleanchor="x",
        constrain="domain",
    )
    drawn.update_layout(margin={"l": 56, "r": 8, "t": 72, "b": 48})
    return drawn


def _part(drawn: go.Figure, blocks: Blocks, ink: str, *, across: bool) -> None:
    """Draw lines between blocks and label them: candidates at the top; rows on the left, if there is more than one block."""
    end = 0
    for label, size in blocks:
        start, end = end, end + size
        line = {"color": ink, "width": 1}
        if start:
            drawn.add_vline(x=start + 0.5, line=line) if across else drawn.add_hline(y=start + 0.5, line=line)
        if across:
            drawn.add_annotation(x=start + 0.5, y=1, yref="paper", yanchor="bottom", xanchor="left", text=label)
        elif len(blocks) > 1:
            drawn.add_annotation(
                x=0, xref="paper", xanchor="right", xshift=-30, y=(start + end + 1) / 2, textangle=-90, text=label
            )
    drawn.update_annotations(showarrow=False)


def _pairs(
    candidates: list[str], partner: list[int], of: Sequence[str], rows: Mapping[str, list[str]]
) -> list[list[str]]:
    return [
        [
            f"{place + 1}. {rows[view][place]}<br>{number_ + 1}. {other}"
            + ("<br>the positive" if number_ == own else "")
            for number_, (other, view) in enumerate(zip(candidates, of, strict=True))
        ]
        for place, own in enumerate(partner)
    ]
