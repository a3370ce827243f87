"""The plane of alignment and uniformity, with the path that a run took over it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from workbench.core.errors import BadData
from workbench.plots import takeaway
from workbench.plots.template import Style, add_arrow, escaped, figure, label_of, names_of, rows_of, styles_for

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_LABELS = 5
"""Series up to which names stand beside their points; beyond, there is a legend."""


def plane(table: "DataFrame", *, dark: bool = False, styles: Mapping[str, Style] | None = None) -> go.Figure:
    """Targets as points, low and left is good; a target with several steps is a path with an arrow at its end.

    Columns: target, uniformity, alignment, alignment_on (the name of the pairs behind alignment); if there, step,
    label, untrained, spearman, n. Rows that miss one of the two numbers are left out.

    Raises:
        BadData: values of alignment on more than one definition, which are not comparable.
    """
    definitions = one_definition(table)
    known = table.dropna(subset=["alignment", "uniformity"])
    point = takeaway.plane(known)
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"Plane of uniformity (across) and alignment on {definitions} (up), low is better on both. {point}",
        xaxis_title="uniformity, lower is better",
        yaxis_title=f"alignment on {escaped(definitions)}, lower is better",
    )
    used = styles_for(known, styles, dark)
    middle = (known["uniformity"].min() + 2 * known["uniformity"].max()) / 3 if len(known) else 0.0
    direct = len(names_of(known)) <= MOST_LABELS
    for name in names_of(known) if len(known) else []:
        rows = rows_of(known, name)
        if "step" in rows:
            rows = rows.sort_values("step", kind="stable")
        style, label = used[name], label_of(rows, name)
        drawn.add_trace(
            go.Scatter(
                x=rows["uniformity"],
                y=rows["alignment"],
                mode="lines+markers",
                name=label,
                showlegend=not direct,
                line={"color": style.colour, "dash": style.dash, "width": 1.5},
                marker={
                    "color": style.colour,
                    "symbol": [style.symbol] * len(rows),
                    "size": [5] * (len(rows) - 1) + [12],
                    "opacity": 1,
                    "line": {"color": style.colour, "width": 1.5},
                },
                customdata=_details(rows),
                hovertemplate=f"{label}%{{customdata}}<br>uniformity %{{x:.3f}}<br>alignment %{{y:.3f}}<extra></extra>",
            )
        )
        last = rows.iloc[-1]
        if len(rows) > 1:
            _arrow(drawn, rows.iloc[-2], last, style.colour)
        if direct:
            # Names of points at the right go to their left, to stay on the paper, and below the paths that start there.
            right = last["uniformity"] > middle
            drawn.add_annotation(
                x=last["uniformity"],
                y=last["alignment"],
                text=label,
                xanchor="right" if right else "left",
                xshift=-11 if right else 11,
                yshift=-13 if right else 9,
            )
    return drawn


def one_definition(table: "DataFrame") -> str:
    """The one definition of alignment in a table.

    Raises:
        BadData: there are several.
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
    return found[0] if found else "pairs that were not named"


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


def _arrow(drawn: go.Figure, before: Any, last: Any, colour: str) -> None:
    """An arrow head on the last leg of a path."""
    start, end = ((one["uniformity"], one["alignment"]) for one in (before, last))
    add_arrow(drawn, start, end, colour, arrowsize=1.4, arrowwidth=1.5, standoff=6)
