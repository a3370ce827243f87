"""What each pair of tokens adds to a cosine, as a matrix."""

from math import ceil
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.plots.takeaway import number
from workbench.plots.template import colour_bar, escaped, figure, ground, look

if TYPE_CHECKING:
    from pandas import DataFrame

FEW = 14
"""Up to this many tokens on either side, each cell has its value written in it."""
MANY = 40
"""Up to this many tokens of the first sentence, each has its label; with more, the matrix grows no further."""
MANY_ACROSS = 24
"""Up to this many of the second one: in print a column is narrow, and labels at an angle need more than a line."""


def token_contributions(parts: "DataFrame", *, most: float = 0.0, dark: bool = False) -> go.Figure:
    """Matrix of the contributions, times 100. Columns: first, second (places), first_token, second_token, contribution, kind.

    `most` is the largest contribution on the scale of colours, by default that of the table; figures side by side share one.
    """
    colours = look(dark)
    matrix = 100 * parts.pivot(index="first", columns="second", values="contribution").to_numpy()
    rows = parts.drop_duplicates("first").sort_values("first")["first_token"].tolist()
    columns = parts.drop_duplicates("second").sort_values("second")["second_token"].tolist()
    point = contributions_point(parts)
    gap = int(max(len(rows), len(columns)) <= 2 * MANY)  # of smaller cells it would be a good part
    end = 100 * most or float(abs(matrix).max())
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"Matrix of {len(rows)} by {len(columns)} tokens and what each pair adds to the cosine. {point}",
        showlegend=False,
    )
    drawn.add_trace(
        go.Heatmap(
            z=matrix.round(4),
            zmin=-end,
            zmax=end,
            colorscale=[
                (0.0, ground(colours.negative, dark)),
                (0.5, colours.paper),
                (1.0, ground(colours.random, dark)),
            ],
            colorbar=colour_bar("part × 100"),
            texttemplate="%{z:.1f}" if max(len(rows), len(columns)) <= FEW else "",
            textfont={"color": colours.ink},
            xgap=gap,
            ygap=gap,
            customdata=[[f"{escaped(row)} · {escaped(column)}" for column in columns] for row in rows],
            hovertemplate="%{customdata}<br>adds %{z:.2f} of 100 × cosine<extra></extra>",
        )
    )
    drawn.update_xaxes(**_labels(columns, "second sentence", MANY_ACROSS), tickangle=-45)
    drawn.update_yaxes(**_labels(rows, "first sentence", MANY), autorange="reversed")
    drawn.update_layout(height=140 + 26 * min(max(len(rows), 6), MANY), margin={"l": 16, "r": 8, "t": 72, "b": 16})
    return drawn


def _labels(tokens: list[str], title: str, many: int) -> dict[str, object]:
    """The settings of an axis of tokens: of more than `many`, every second or third and so on has its label."""
    step = ceil(len(tokens) / many)
    shown = range(0, len(tokens), step)
    return {
        "showgrid": False,
        "ticks": "",
        "tickvals": list(shown),
        "ticktext": [escaped(tokens[place]) for place in shown],
        "title": title if step == 1 else f"{title} (one token in {step} is named)",
    }


def contributions_point(parts: "DataFrame") -> str:
    """How much of the cosine comes from tokens that are alike, from special ones, and from all others.

    >>> import pandas
    >>> table = pandas.DataFrame({"kind": ["special", "equal", "different"], "contribution": [0.1, 0.15, 0.5]})
    >>> contributions_point(table)
    'Of the cosine of 0.75, equal tokens add 0.15, special ones 0.10 and pairs of different tokens 0.50.'
    """
    sums = parts.groupby("kind")["contribution"].sum()
    equal, special, different = (number(float(sums.get(kind, 0.0))) for kind in ("equal", "special", "different"))
    cosine = number(float(parts["contribution"].sum()))
    return (
        f"Of the cosine of {cosine}, equal tokens add {equal}, special ones {special} and pairs of different tokens "
        f"{different}."
    )
