"""Differences from a baseline as a forest plot."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.plots.template import escaped, figure, look

if TYPE_CHECKING:
    from pandas import DataFrame

_ROW_PX = 34
_LONGEST = 40


def forest(table: "DataFrame", *, baseline: str, takeaway: str = "", dark: bool = False) -> go.Figure:
    """One row per method, the largest difference on top: its interval, filled where a test tells it from the baseline, and behind
    it the differences that the comparison could hardly have detected. `takeaway` replaces the sentence above it.

    Columns: label, delta, low, high, verdict (better, worse or tie), detectable; correlations are -1..1, shown x 100.
    """
    colours = look(dark)
    rows = table.sort_values("delta", ascending=False, kind="stable").reset_index(drop=True)
    point = takeaway or said_against(rows, baseline)
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"Forest plot of differences of Spearman's rho from {baseline}, with 95 % intervals. {point}",
        height=130 + _ROW_PX * len(rows),
        xaxis={"title": {"text": "difference, Spearman × 100"}, "zeroline": False},
        yaxis={
            "tickvals": list(rows.index),
            "ticktext": [escaped(_short(label)) for label in rows["label"]],
            "range": [len(rows) - 0.4, -0.6],
        },
    )
    drawn.add_vline(x=0, line={"width": 1.2, "color": colours.quiet})
    for at, row in enumerate(rows.to_dict("records")):
        limit = 100 * row["detectable"]
        drawn.add_trace(
            go.Scatter(
                x=[-limit, limit],
                y=[at, at],
                mode="lines",
                line={"width": 14, "color": colours.grid},
                name="smaller differences are found less than 8 times in 10",
                showlegend=at == 0,
                hovertemplate=f"detectable with 80 %: ±{limit:.2f}<extra></extra>",
            )
        )
    for verdict, colour, filled in (
        ("better", colours.positive, True),
        ("tie", colours.quiet, False),
        ("worse", colours.negative, True),
    ):
        own = rows[rows["verdict"] == verdict]
        if own.empty:
            continue
        drawn.add_trace(
            go.Scatter(
                x=100 * own["delta"],
                y=list(own.index),
                error_x={
                    "array": 100 * (own["high"] - own["delta"]),
                    "arrayminus": 100 * (own["delta"] - own["low"]),
                    "color": colour,
                    "thickness": 1.6,
                },
                mode="markers",
                name=verdict,
                marker={
                    "size": 10,
                    "symbol": {"better": "circle", "tie": "square", "worse": "diamond"}[verdict],
                    "color": colour if filled else colours.paper,
                    "line": {"width": 2, "color": colour},
                },
                customdata=[
                    escaped(
                        f"{row.label}: {100 * row.delta:+.2f} ({100 * row.low:+.2f} to {100 * row.high:+.2f}), {verdict}"
                    )
                    for row in own.itertuples()
                ],
                hovertemplate="%{customdata}<extra></extra>",
            )
        )
    return drawn


def said_against(rows: "DataFrame", baseline: str) -> str:
    """The verdicts in a sentence; of a single row with its difference. The columns are those of `forest`."""
    if len(rows) == 1:
        row = rows.iloc[0]
        verdict = "a tie" if row["verdict"] == "tie" else row["verdict"]
        spread = f"{_signed(row['low'], 1)} to {_signed(row['high'], 1)}"
        return f"Against {baseline}, {row['label']}: {verdict} ({_signed(row['delta'], 2)}, {spread})."
    counts = rows["verdict"].value_counts()
    words = [
        f"{counts[verdict]} {said}"
        for verdict, said in (("better", "better"), ("worse", "worse"), ("tie", "that no test tells from it"))
        if verdict in counts
    ]
    return f"Against {baseline}: {', '.join(words)}."


def _signed(value: float, decimals: int) -> str:
    """A difference of correlations times 100, with a true minus sign."""
    shown = f"{100 * value + 0.0:+.{decimals}f}"
    return shown.replace("-", "−")


def _short(label: str) -> str:
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
