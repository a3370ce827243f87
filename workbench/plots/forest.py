"""Differences from a baseline as a forest plot."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.plots.takeaway import least_found
from workbench.plots.template import escaped, figure, look
from workbench.statistics.decimals import decimals_of, signed, signed_difference

if TYPE_CHECKING:
    from pandas import DataFrame, Series

_ROW_PX, _DENSE_PX = 34, 24
_ROOMY = 12
"""Rows from which on they are closer together."""
_LONGEST = 40
_FURTHEST = 2
"""So many times as far from 0 as the furthest end of an interval the axis follows a band: those of few seeds are far wider."""


def forest(table: "DataFrame", *, baseline: str, takeaway: str = "", dark: bool = False) -> go.Figure:
    """One row per method, the largest difference on top: its interval, filled where a test tells it from the baseline, and behind
    it the differences that the comparison could hardly have detected, up to the edge of the figure if these are far more.
    `takeaway` replaces the sentence above it.

    Columns: label, delta, low, high, verdict (better, worse or tie), detectable; correlations are -1..1, shown x 100. Optional:
    colour, of each method, else that of the verdict; group, a group of pairs, with one row per group and method: the group
    with the lowest difference is then on top, and so is the lowest difference in each group.
    """
    colours = look(dark)
    grouped = "group" in table
    rows = worst_group_first(table) if grouped else table.sort_values("delta", ascending=False, kind="stable")
    rows = rows.reset_index(drop=True)
    left, right = _edges(rows)
    point = takeaway or (said_by_group(rows, baseline) if grouped else said_against(rows, baseline))
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"Forest plot of differences of Spearman's rho from {baseline}, with 95 % intervals. {point}",
        height=130 + (_ROW_PX if len(rows) <= _ROOMY else _DENSE_PX) * len(rows),
        xaxis={
            "title": {"text": "difference, Spearman × 100"},
            "zeroline": False,
            "range": [left, right] if left < right else None,
        },
        yaxis={
            "tickvals": list(rows.index),
            "ticktext": [escaped(_short(name)) for name in _row_names(rows)],
            "range": [len(rows) - 0.4, -0.6],
        },
    )
    drawn.add_vline(x=0, line={"width": 1.2, "color": colours.quiet})
    for at, row in enumerate(rows.to_dict("records")):
        limit = 100 * row["detectable"]
        drawn.add_trace(
            go.Scatter(
                x=[max(-limit, left), min(limit, right)],
                y=[at, at],
                mode="lines",
                line={"width": 14, "color": colours.grid},
                name="smaller differences may be found less than 8 times in 10",
                showlegend=at == 0,
                hovertemplate=f"detectable with 80 %: {least_found(row['detectable'], 2)}<extra></extra>",
            )
        )
    by_verdict = {"better": colours.positive, "tie": colours.quiet, "worse": colours.negative}
    for verdict, usual in by_verdict.items():
        of_verdict = rows[rows["verdict"] == verdict]
        coloured = of_verdict.groupby("colour", sort=False) if "colour" in rows else [(usual, of_verdict)]
        for colour, alike in coloured:
            if len(alike):
                drawn.add_trace(_marks(alike, verdict, str(colour), colours.paper if verdict == "tie" else str(colour)))
        if "colour" in rows and len(
            of_verdict
        ):  # the legend says what the symbol means; whose the colour is, the row says
            key = _symbol(verdict, colours.quiet, colours.paper if verdict == "tie" else colours.quiet)
            drawn.add_trace(go.Scatter(x=[None], y=[None], mode="markers", name=verdict, marker=key))
            drawn.update_traces(showlegend=False, selector=lambda trace, verdict=verdict: trace.meta == verdict)
    return drawn


def _edges(rows: "DataFrame") -> tuple[float, float]:
    """The ends of the axis of differences, with room beside the intervals and those bands that are not far wider."""
    ends = 100 * rows[["delta", "low", "high"]]
    band = min(100 * rows["detectable"].max(), _FURTHEST * ends.abs().max(axis=None))
    left, right = min(ends.min(axis=None), -band), max(ends.max(axis=None), band)
    room = 0.05 * (right - left)
    return left - room, right + room


def _marks(alike: "DataFrame", verdict: str, colour: str, inside: str) -> go.Scatter:
    """Differences with one verdict, in one colour."""
    return go.Scatter(
        x=100 * alike["delta"],
        y=list(alike.index),
        error_x={
            # A bootstrap interval of few pairs need not hold the difference itself.
            "array": 100 * (alike["high"] - alike["delta"]).clip(lower=0),
            "arrayminus": 100 * (alike["delta"] - alike["low"]).clip(lower=0),
            "color": colour,
            "thickness": 1.6,
        },
        mode="markers",
        name=verdict,
        meta=verdict,
        marker=_symbol(verdict, colour, inside),
        customdata=[
            escaped(f"{name}: {100 * row.delta:+.2f} ({100 * row.low:+.2f} to {100 * row.high:+.2f}), {verdict}")
            for name, row in zip(_row_names(alike), alike.itertuples(), strict=True)
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _symbol(verdict: str, colour: str, inside: str) -> dict[str, object]:
    return {
        "size": 10,
        "symbol": {"better": "circle", "tie": "square", "worse": "diamond"}[verdict],
        "color": inside,
        "line": {"width": 2, "color": colour},
    }


def _row_names(rows: "DataFrame") -> list[str]:
    """The methods; by group, the groups, each with its method if there are several."""
    if "group" not in rows:
        return list(rows["label"])
    several = rows["label"].nunique() > 1
    return [f"{row.group} · {row.label}" if several else str(row.group) for row in rows.itertuples()]


def worst_group_first(table: "DataFrame") -> "DataFrame":
    """Rows by group and method, the group with the lowest difference first, and in each group the lowest difference."""
    lowest = table.groupby("group")["delta"].transform("min")
    return table.assign(lowest=lowest).sort_values(["lowest", "group", "delta"], kind="stable").drop(columns="lowest")


def said_by_group(rows: "DataFrame", baseline: str) -> str:
    """How many of the differences by group are better, worse or ties, and where the lowest is."""
    lowest = rows.loc[rows["delta"].idxmin()]
    several = rows["label"].nunique() > 1
    who = f"{lowest['label']} in {lowest['group']}" if several else str(lowest["group"])
    verdict = "a tie" if lowest["verdict"] == "tie" else lowest["verdict"]
    counts = rows["verdict"].value_counts()
    words = [
        f"{counts[verdict]} {said}"
        for verdict, said in (("better", "better"), ("worse", "worse"), ("tie", "tied"))
        if verdict in counts
    ]
    one = "" if several else f", {rows['label'].iloc[0]}"
    return f"Against {baseline}{one}: lowest {who} ({_with_interval(lowest)}), {verdict}; {', '.join(words)}."


def said_against(rows: "DataFrame", baseline: str) -> str:
    """The verdicts in a sentence; of a single row with its difference. The columns are those of `forest`."""
    if len(rows) == 1:
        row = rows.iloc[0]
        verdict = "a tie" if row["verdict"] == "tie" else row["verdict"]
        return f"Against {baseline}, {row['label']}: {verdict} ({_with_interval(row)})."
    counts = rows["verdict"].value_counts()
    words = [
        f"{counts[verdict]} {said}"
        for verdict, said in (("better", "better"), ("worse", "worse"), ("tie", "that no test tells from it"))
        if verdict in counts
    ]
    return f"Against {baseline}: {', '.join(words)}."


def _with_interval(row: "Series[float]") -> str:
    """A difference and its interval, times 100."""
    delta, low, high = (float(row[name]) for name in ("delta", "low", "high"))
    decimals = decimals_of(100 * low, 100 * high)
    return f"{signed_difference(delta, low, high)}, {signed(low, decimals)} to {signed(high, decimals)}"


def _short(label: str) -> str:
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
