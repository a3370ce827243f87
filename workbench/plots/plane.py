"""The plane of alignment and uniformity, with the path of a run across it."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import ceil, hypot, inf
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from workbench.core.errors import BadData
from workbench.plots import takeaway
from workbench.plots.placing import LETTER_PX, line_end, place_labels, short
from workbench.plots.template import (
    Style,
    add_arrow,
    colour_bar,
    escaped,
    figure,
    label_of,
    look,
    names_of,
    rows_of,
    styles_for,
)
from workbench.statistics.ellipse import LEAST, ellipse

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame, Series

MOST_LABELS = 5
"""Most series whose names are written next to their points; with more, or too little room, there is a legend."""
_AREA = (300.0, 330.0)
"""Width and height in px of the narrowest drawing area: names that fit it have more room in a wider one."""


def plane(
    table: "DataFrame",
    *,
    dark: bool = False,
    styles: Mapping[str, Style] | None = None,
    legend: bool = False,
    by_score: bool = False,
) -> go.Figure:
    """Targets as points, lower left is better; a target with several steps is a path with an arrow at its end.

    Columns: target, uniformity, alignment, alignment_on (the name of the pairs that alignment is measured on); optional:
    step, label, untrained, spearman, n, training_seed. Rows without alignment or uniformity are left out. Names are written
    next to the points, or in a legend if there are too many or `legend` is true.

    A row with a `training_seed` is a training of its target, which is a method whose other rows are means: a small point, and
    of three or more the ellipse of their covariance, two standard deviations wide. With `by_score` the colour is Spearman's
    rho, and only the symbol says which target it is.

    Raises:
        BadData: the alignments are measured on different pairs, so they are not comparable.
    """
    definitions = one_definition(table)
    measured = table.dropna(subset=["alignment", "uniformity"]).reset_index(drop=True)
    seeded = measured["training_seed"].notna() if "training_seed" in measured else measured["alignment"].isna()
    known, trainings = measured[~seeded].reset_index(drop=True), measured[seeded]
    point = takeaway.plane(known)
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"Plane of uniformity (across) and alignment on {definitions} (up), low is better on both. {point}",
        xaxis_title="uniformity, lower is better",
        yaxis_title=f"alignment on {escaped(definitions)}, lower is better",
    )
    used = styles_for(known, styles, dark)
    by_score = by_score and "spearman" in known and bool(known["spearman"].notna().any())
    if by_score:
        low, high = 100 * measured["spearman"].min(), 100 * measured["spearman"].max()
        room = 0.5 if low == high else 0.0
        scale = [(0.0, look(dark).grid), (1.0, look(dark).series[0])]
        bar = colour_bar("Spearman × 100")
        drawn.update_layout(
            coloraxis={"colorscale": scale, "cmin": low - room, "cmax": high + room, "colorbar": bar},
            legend={"y": -0.22, "yanchor": "top"},
        )
    around = _ellipses(trainings)
    direct = not legend and len(names_of(known)) <= MOST_LABELS and _name_points(drawn, known, trainings, around)
    for name in names_of(trainings) if len(trainings) else []:
        line = look(dark).quiet if by_score else used[name].colour
        if name in around:
            drawn.add_trace(_ellipse(around[name], label_of(rows_of(trainings, name), name), line))
        drawn.add_trace(_seeds(rows_of(trainings, name), used[name], line, by_score))
    for name in names_of(known) if len(known) else []:
        rows = _by_step(rows_of(known, name))
        style, label = used[name], label_of(rows, name)
        line = look(dark).quiet if by_score else style.colour
        drawn.add_trace(
            go.Scatter(
                x=rows["uniformity"],
                y=rows["alignment"],
                mode="lines+markers",
                name=label,
                showlegend=not direct,
                line={"color": line, "dash": style.dash, "width": 1.5},
                marker={
                    **_coloured(rows, style.colour, by_score),
                    "symbol": [style.symbol] * len(rows),
                    "size": [5] * (len(rows) - 1) + [12],
                    "opacity": 1,
                    "line": {"color": line, "width": 1.5},
                },
                customdata=_details(rows),
                hovertemplate=f"{label}%{{customdata}}<br>uniformity %{{x:.3f}}<br>alignment %{{y:.3f}}<extra></extra>",
            )
        )
        if len(rows) > 1:
            _arrow(drawn, rows.iloc[-2], rows.iloc[-1], line)
    return drawn


def _coloured(rows: "DataFrame", colour: str, by_score: bool) -> dict[str, object]:
    """Colours of markers: of the target, or its Spearman's rho on the scale of the figure."""
    if not by_score:
        return {"color": colour}
    return {"color": [100 * rho if rho == rho else None for rho in rows["spearman"]], "coloraxis": "coloraxis"}


def _ellipses(trainings: "DataFrame") -> dict[str, "NDArray[np.float64]"]:
    """The ellipse of each target with enough seeds, (points, 2)."""
    rows = {name: rows_of(trainings, name) for name in (names_of(trainings) if len(trainings) else [])}
    return {name: ellipse(of["uniformity"], of["alignment"]) for name, of in rows.items() if len(of) >= LEAST}


def _ellipse(around: "NDArray[np.float64]", label: str, colour: str) -> go.Scatter:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return go.Scatter(
        x=around[:, 0],
        y=around[:, 1],
        mode="lines",
        name=f"{label}: two standard deviations over seeds",
        line={"color": colour, "width": 1},
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},0.14)",
        showlegend=False,
        hoverinfo="skip",
    )


def _seeds(rows: "DataFrame", style: Style, outline: str, by_score: bool) -> go.Scatter:
    """The trainings of a method."""
    label = label_of(rows, "")
    return go.Scatter(
        x=rows["uniformity"],
        y=rows["alignment"],
        mode="markers",
        name=f"{label}: seeds",
        marker={
            **_coloured(rows, style.colour, by_score),
            "symbol": style.symbol,
            "size": 6,
            "opacity": 0.7,
            "line": {"color": outline, "width": 1 if by_score else 0},
        },
        showlegend=False,
        customdata=[
            f", seed {int(seed)}{said}" for seed, said in zip(rows["training_seed"], _details(rows), strict=True)
        ],
        hovertemplate=f"{label}%{{customdata}}<br>uniformity %{{x:.3f}}<br>alignment %{{y:.3f}}<extra></extra>",
    )


def _name_points(
    drawn: go.Figure, known: "DataFrame", trainings: "DataFrame", around: Mapping[str, "NDArray[np.float64]"]
) -> bool:
    """Write each series' name next to its last point, covering no other name or point; False if one of them has no room.

    Sets the ranges of the axes to those that the names were placed for.
    """
    if known.empty:
        return True
    across = [known["uniformity"], trainings["uniformity"], *(of[:, 0] for of in around.values())]
    up = [known["alignment"], trainings["alignment"], *(of[:, 1] for of in around.values())]
    (left, right), (low, high) = _range(np.concatenate(across)), _range(np.concatenate(up))
    width, height = _AREA
    from_left = (known["uniformity"] - left) / (right - left) * width
    from_top = (high - known["alignment"]) / (high - low) * height
    ends = {name: _by_step(rows_of(known, name)).index[-1] for name in names_of(known)}
    points = [(float(from_left[row]), float(from_top[row])) for row in ends.values()]
    labels = [short(str(known.loc[row].get("label", name))) for name, row in ends.items()]
    paths = [
        [(float(from_left[row]), float(from_top[row])) for row in _by_step(rows_of(known, name)).index] for name in ends
    ]
    at = [
        ((row.uniformity - left) / (right - left) * width, (high - row.alignment) / (high - low) * height)
        for row in trainings.itertuples()
    ]
    seeds = [(x - 4, y - 4, x + 4, y + 4) for x, y in at]
    for long in (12.0, inf):  # clear of the lines if possible, else at least of the points on them
        free = [(x - 5, y - 5, x + 5, y + 5) for path in paths for x, y in _along(path, long)] + seeds
        places = place_labels(points, labels, width=width, height=height, kept_free=free)
        if None not in places:
            break
    if None in places:
        return False
    drawn.update_layout(xaxis_range=[left, right], yaxis_range=[low, high])
    for place, label, (x, y), row in zip(places, labels, points, ends.values(), strict=True):
        if place is None:
            continue
        end = {"x": known.loc[row, "uniformity"], "y": known.loc[row, "alignment"]}
        if place.far:
            to_x, to_y = line_end(place, label, x, y)
            line = {"ax": to_x - x, "ay": to_y - y, "arrowhead": 0, "arrowwidth": 0.8, "standoff": 6}
            drawn.add_annotation(**end, text="", showarrow=True, **line)
        # Anchor the label at its end nearer to the point, because the width of the letters is only an estimate.
        half = len(label) * LETTER_PX / 2
        anchor, shift = (
            ("left", -half) if place.x - half > x else ("right", half) if place.x + half < x else ("center", 0)
        )
        offset = {"xanchor": anchor, "xshift": place.x + shift - x, "yanchor": "middle", "yshift": y - place.y}
        drawn.add_annotation(**end, text=escaped(label), **offset)
    return True


def _along(path: Sequence[tuple[float, float]], long: float) -> list[tuple[float, float]]:
    """(x, y) in px of a path's points except its last, with more in between so that neighbours are at most `long` px apart."""
    found = []
    for (x, y), (to_x, to_y) in pairwise(path):
        parts = max(1, ceil(hypot(to_x - x, to_y - y) / long))
        found += [(x + (to_x - x) * part / parts, y + (to_y - y) * part / parts) for part in range(parts)]
    return found


def _by_step(rows: "DataFrame") -> "DataFrame":
    return rows.sort_values("step", kind="stable") if "step" in rows else rows


def _range(values: "NDArray[np.float64]") -> tuple[float, float]:
    """Lower and upper end of an axis, with room for the marks."""
    low, high = float(values.min()), float(values.max())
    room = max(0.08 * (high - low), 0.02)
    return low - room, high + room


def one_definition(table: "DataFrame") -> str:
    """The name of the pairs that all alignments in a table are measured on.

    Raises:
        BadData: the table has alignments on several sets of pairs.
    """
    known = table.dropna(subset=["alignment"])
    found = [str(name) for name in dict.fromkeys(known["alignment_on"])] if "alignment_on" in known else []
    if len(found) > 1:
        raise BadData(
            "These values of alignment do not share one definition.",
            rule="A plane shows alignment on one set of partners.",
            got="; ".join(found),
            way_out="Evaluate all of them on the same pairs.",
        )
    return found[0] if found else "unnamed pairs"


def _details(rows: "DataFrame") -> list[str]:
    parts = []
    for row in rows.to_dict("records"):
        said = (
            f", step {int(row['step']):,}" if row.get("step") == row.get("step") and row.get("step") is not None else ""
        )
        rho = row.get("spearman")
        said += f"<br>Spearman {100 * rho:.2f}" if rho is not None and rho == rho else ""
        parts.append(said)
    return parts


def _arrow(drawn: go.Figure, before: "Series", last: "Series", colour: str) -> None:
    """Add an arrowhead to the last segment of a path."""
    start, end = ((one["uniformity"], one["alignment"]) for one in (before, last))
    add_arrow(drawn, start, end, colour, arrowsize=1.4, arrowwidth=1.5, standoff=6)
