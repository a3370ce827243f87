"""What a masked language model predicts at one position: its most probable word pieces, and the original one."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.models.tokens import UNKNOWN
from workbench.plots.template import escaped, figure, look

if TYPE_CHECKING:
    from pandas import DataFrame


def fill_mask(table: "DataFrame", *, vocabulary: int, dark: bool = False) -> go.Figure:
    """One bar per piece, most probable first; the original piece has a different colour and a pattern, whatever its rank.

    Columns: rank, token, probability (0 to 1), true (whether it is the original piece), pieces (of its word); all for one
    position of one text. The token for unknown words is no original piece: the word that it stands for is not in the vocabulary.
    `vocabulary` is the number of pieces that the model chooses from.
    """
    colours = look(dark)
    rows = table.sort_values("rank")
    unknown = rows["true"] & rows["token"].isin(UNKNOWN)
    rows = rows.assign(true=rows["true"] & ~unknown)
    truth = rows[rows["true"]]
    first = rows.iloc[0]
    stands = ", which stands for unknown words," if first.token in UNKNOWN else ""
    point = f"“{first.token}”{stands} is the first guess, {percent(first.probability)}."
    if unknown.any():
        point = f"The masked word is not in the vocabulary. {point}"
    if len(truth):
        own = truth.iloc[0]
        which = "the original word" if own["pieces"] == 1 else "the original piece"
        point = (
            f"“{own.token}”, {which}, is the first guess: {percent(own.probability)}."
            if own["rank"] == 1
            else f"“{own.token}”, {which}, is guess {own['rank']:,} of {vocabulary:,} with "
            f"{percent(own.probability)}; the first is “{first.token}”, {percent(first.probability)}."
        )
    alt = f"Bars of the {len(rows)} pieces listed, by probability. {point}"
    drawn = figure(dark=dark, takeaway=point, alt=alt, xaxis_title="probability, %", showlegend=False)
    names = [f"{row['rank']:,}. {escaped(row['token'])}" for _, row in rows.iterrows()]
    marks = [", original" if true else "" for true in rows["true"]]
    shares = [100 * share for share in rows["probability"]]
    drawn.add_trace(
        go.Bar(
            x=shares,
            y=names,
            orientation="h",
            marker={
                "color": [colours.positive if true else colours.random for true in rows["true"]],
                "pattern": {"shape": ["/" if true else "" for true in rows["true"]], "solidity": 0.25},
            },
            text=[percent(share) + mark for share, mark in zip(rows["probability"], marks, strict=True)],
            textposition="outside",
            cliponaxis=False,
            textfont={"color": colours.ink},
            hovertemplate="%{y}<br>%{text}<extra></extra>",
        )
    )
    drawn.update_yaxes(autorange="reversed", showgrid=False, tickfont={"color": colours.ink}, ticks="")
    drawn.update_xaxes(range=[0, 1.45 * max(shares)], rangemode="tozero")
    drawn.update_layout(bargap=0.35, margin={"t": 8})
    return drawn


def percent(share: float) -> str:
    """A probability (0 to 1) in percent, with one or two decimals.

    >>> percent(0.123), percent(0.00123), percent(0.0000012)
    ('12.3 %', '0.12 %', '< 0.01 %')
    """
    value = 100 * share
    return f"{value:.1f} %" if value >= 1 else f"{value:.2f} %" if value >= 0.01 else "< 0.01 %"
