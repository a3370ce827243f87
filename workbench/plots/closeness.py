"""How far an augmentation moves a text: the cosine of each draw with its original, compared with dropout alone."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.plots.takeaway import number
from workbench.plots.template import escaped, figure, in_lines, look

if TYPE_CHECKING:
    from pandas import DataFrame

_LONGEST = 32


def closeness(
    table: "DataFrame", *, band: tuple[float, float], others: tuple[float, float] | None = None, dark: bool = False
) -> go.Figure:
    """One row per sentence, one point per draw. `band` holds 90 % of the cosines of two dropout views of one text,
    `others` 90 % of those of two different sentences.

    Columns: sentence (its number), before, text, draw, cosine, changed. Draws that left the text unchanged are open
    circles.
    """
    colours = look(dark)
    low, high = band
    cosines = table["cosine"]
    further = int((cosines < low).sum())
    point = (
        f"{further} of {len(table)} draws move further than dropout alone, 90 % of which lies between "
        f"{number(low)} and {number(high)}."
    )
    if others is not None and (far := int((cosines <= others[1]).sum())):
        point += f" {far} {'is' if far == 1 else 'are'} as far away as another sentence."
    alt = f"Cosine of {len(table)} draws with their originals, one row a sentence. {point}"
    drawn = figure(dark=dark, takeaway=point, alt=alt, xaxis_title="cosine with the original", showlegend=False)
    bands = [("dropout alone", low, high, colours.positive, "right")]
    if others is not None:
        bands.append(("other sentences", *others, colours.negative, "left"))
    for name, start, end, colour, side in bands:
        drawn.add_vrect(x0=start, x1=end, fillcolor=colour, opacity=0.18, line_width=0, layer="below")
        for edge in (start, end):
            # Edges distinguish the bands without colour: solid for dropout, dashed for other sentences.
            dash = "solid" if side == "right" else "dash"
            drawn.add_vline(x=edge, line={"color": colour, "dash": dash, "width": 1}, layer="below")
        drawn.add_annotation(
            text=name,
            x=end if side == "right" else start,
            y=1,
            yref="paper",
            yanchor="bottom",
            xanchor=side,
            yshift=15 if side == "right" else 0,  # on a narrow screen the names would overlap
            font={"color": colours.quiet},
        )
    for place, (_, rows) in enumerate(table.groupby("sentence", sort=False), 1):
        before = str(rows["before"].iloc[0])
        short = before if len(before) <= _LONGEST else f"{before[: _LONGEST - 1]}…"
        drawn.add_trace(
            go.Scatter(
                x=rows["cosine"],
                y=[f"{place}. {escaped(short)}"] * len(rows),
                mode="markers",
                marker={
                    "color": colours.ink,
                    "size": 10,
                    "symbol": ["circle" if changed else "circle-open" for changed in rows["changed"]],
                },
                customdata=[f"draw {row.draw}: {in_lines(row.text)}" for row in rows.itertuples()],
                hovertemplate="%{customdata}<br>cosine %{x:.3f}<extra></extra>",
            )
        )
    drawn.update_layout(margin={"t": 44})
    drawn.update_yaxes(autorange="reversed", showgrid=False)
    least = min(float(cosines.min()), low, 1.0 if others is None else others[0])
    drawn.update_xaxes(range=[max(-1.02, least - 0.12), 1.02])
    return drawn
