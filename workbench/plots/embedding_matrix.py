"""The embedding matrix of a text before and after an augmentation, and where the two differ."""

from typing import TYPE_CHECKING, Protocol

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from workbench.plots.template import dress, escaped, head_panels, look

if TYPE_CHECKING:
    from pandas import DataFrame

SAME, CHANGED, ZEROED = 0, 1, 2
_ROW_HEIGHT = 19


def embedding_matrix(tokens: "DataFrame", values: "DataFrame", *, dark: bool = False) -> go.Figure:
    """Three panels, tokens by dimensions: before, after, and which values were changed or set to zero.

    Columns of `tokens`: position, token, kept, place_before, place_after, zeroed and moved (shares of the token's values,
    0 to 1). Columns of `values`: position, dim, before, after. A token whose place changed is labelled with both places; a
    token that is masked out is in brackets.
    """
    colours = look(dark)
    before = values.pivot(index="position", columns="dim", values="before")
    after = values.pivot(index="position", columns="dim", values="after")
    fate = (before != after).astype(int) * CHANGED
    fate = fate.mask((before != after) & (after == 0), ZEROED)
    labels = [_label(row) for row in tokens.itertuples()]
    limit = float(before.abs().stack().quantile(0.99)) or 1.0
    point = _point(tokens)
    panels = make_subplots(
        1, 3, shared_yaxes=True, horizontal_spacing=0.025, subplot_titles=["before", "after", "changed or zero"]
    )
    low, paper, high = colours.negative, colours.paper, colours.random
    for place, matrix in enumerate((before, after), 1):
        panels.add_trace(
            go.Heatmap(
                z=matrix.to_numpy(),
                x=[str(dim) for dim in matrix.columns],
                y=list(range(len(labels))),
                zmin=-limit,
                zmax=limit,
                colorscale=[(0.0, low), (0.5, paper), (1.0, high)],
                showscale=False,
                xgap=0,
                ygap=1,
                customdata=[[label] * matrix.shape[1] for label in labels],
                hovertemplate="%{customdata}, dimension %{x}: %{z:.3f}<extra></extra>",
            ),
            1,
            place,
        )
    panels.add_trace(
        go.Heatmap(
            z=fate.to_numpy(),
            x=[str(dim) for dim in fate.columns],
            y=list(range(len(labels))),
            zmin=SAME,
            zmax=ZEROED,
            colorscale=[(0.0, colours.paper), (0.5, colours.grid), (1.0, colours.ink)],
            showscale=False,
            ygap=1,
            customdata=[
                [f"{label}, {('as before', 'changed', 'set to zero')[cell]}" for cell in row]
                for label, row in zip(labels, fate.to_numpy(), strict=True)
            ],
            hovertemplate="%{customdata}, dimension %{x}<extra></extra>",
        ),
        1,
        3,
    )
    alt = f"Embedding matrix of {len(tokens)} tokens before and after, and what differs. {point}"
    dress(panels, dark=dark, takeaway=point, alt=alt, showlegend=False, height=_ROW_HEIGHT * len(labels) + 110)
    head_panels(panels)
    panels.update_xaxes(showticklabels=False, ticks="", showgrid=False, title_text="")
    panels.update_xaxes(title_text="dimensions", row=1, col=2)
    panels.update_yaxes(autorange="reversed", showgrid=False, ticks="")
    panels.update_yaxes(tickvals=list(range(len(labels))), ticktext=labels, tickfont={"size": 12}, row=1, col=1)
    panels.update_layout(margin={"l": 24, "r": 8, "t": 44, "b": 40})
    return panels


class _Token(Protocol):
    """A row of the table of tokens."""

    token: str
    kept: bool
    place_before: int
    place_after: int


def _label(row: "_Token") -> str:
    name = escaped(row.token)
    if not row.kept:
        name = f"({name})"
    if row.place_before != row.place_after:
        name += f" {row.place_before}→{row.place_after}"
    return name


def _point(tokens: "DataFrame") -> str:
    """What the augmentation changed, in one sentence."""
    count = len(tokens)
    whole = int((tokens["zeroed"] > 0.999).sum())
    zeroed, moved = float(tokens["zeroed"].mean()), float(tokens["moved"].mean())
    places = int((tokens["place_before"] != tokens["place_after"]).sum())
    gone = int((~tokens["kept"]).sum())
    said = []
    if whole:
        said.append(f"{whole} of {count} tokens {'is' if whole == 1 else 'are'} zero")
    elif zeroed:
        said.append(f"{100 * zeroed:.0f} % of the values are zero")
    if gone:
        said.append(f"{gone} {'is' if gone == 1 else 'are'} masked out")
    if places:
        said.append(f"{places} of {count} tokens have a different place")
    elif moved:
        said.append(f"{100 * moved:.0f} % of the values moved")
    return ("; ".join(said) + ".") if said else "Nothing changed in this draw."
