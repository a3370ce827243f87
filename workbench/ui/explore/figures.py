"""The figures of Explore's tabs, for one target or several side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.ui.explore import takeaways
from workbench.ui.kit.figures import show
from workbench.ui.kit.notices import facts, quiet
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import figure, html, missing
from workbench.ui.targets.names import is_untrained, target_name
from workbench.ui.targets.styles import colour_of, labelled, styles_of
from workbench.verbs.geometry import Space

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pandas import DataFrame
    from plotly.graph_objects import Figure

    from workbench.core.method import Method


def cone_figure(target: str, table: "DataFrame", caption: str, marked: Sequence[int] = ()) -> None:
    """The uncentred projection of one target's vectors, with rings around the marked rows."""
    from workbench.plots.projection import projection

    drawn = projection(table, dark=dark(), untrained=is_untrained(target))
    if not is_untrained(target):
        drawn.update_traces(
            marker_color=colour_of(target),
            selector={"mode": "markers", "hovertemplate": "%{customdata}<extra></extra>"},
        )
    points = table.sort_values("row")
    ring(drawn, points["x"].to_numpy()[list(marked)], points["y"].to_numpy()[list(marked)])
    point = takeaways.cone(table.attrs["mean_cosine"], table.attrs["mean_cosine_centred"])
    show(drawn, key=f"cone.{target}", point=point, caption=caption, data=table, height=430)


def ring(
    drawn: "Figure", x: "Sequence[float] | NDArray[np.floating]", y: "Sequence[float] | NDArray[np.floating]"
) -> None:
    """Rings around points that are selected in the linked views."""
    import plotly.graph_objects as go

    from workbench.plots.template import look

    if not len(x):
        return
    line = {"width": 2, "color": look(dark()).ink}
    drawn.add_trace(
        go.Scatter(
            x=x,
            y=y,
            mode="markers",
            marker={"symbol": "circle-open", "size": 12, "line": line, "color": line["color"]},
            name=f"selected, n = {len(x):,}",
            hoverinfo="skip",
            showlegend=True,
        )
    )
    drawn.update_layout(showlegend=True)


def spectrum_figure(
    targets: Sequence[str],
    spectra: "Sequence[DataFrame]",
    selected: "Sequence[DataFrame]",
    texts: int,
    chosen: int,
    pairs: str,
) -> None:
    """Singular values of the targets, of all texts and, as further lines, of those selected."""
    import pandas

    from workbench.plots.spectrum import spectrum

    tables = [table.assign(target=target) for target, table in zip(targets, spectra, strict=True)]
    table = labelled(pandas.concat(tables, ignore_index=True))
    table.attrs = spectra[0].attrs
    drawn = spectrum(table, dark=dark(), styles=styles_of(targets))
    if selected:
        _spectra_over(drawn, targets, selected)
        parts = [one.assign(target=f"{target}, selected") for target, one in zip(targets, selected, strict=True)]
        table = pandas.concat([table, *parts], ignore_index=True)
    show(
        drawn,
        key="spectrum",
        data=table,
        height=430,
        caption=f"{texts:,} sentences of {pairs}{f', {chosen:,} of them selected' if selected else ''}; singular values of the "
        "vectors, mean not subtracted",
    )


def _spectra_over(drawn: "Figure", targets: Sequence[str], selected: "Sequence[DataFrame]") -> None:
    """Thin dotted lines of selected texts, in the colours of their targets."""
    import plotly.graph_objects as go

    from workbench.plots.template import escaped

    styles = styles_of(targets)
    for target, table in zip(targets, selected, strict=True):
        rows = table[table["relative"] > 1e-5]
        drawn.add_trace(
            go.Scatter(
                x=rows["component"],
                y=rows["relative"],
                mode="lines",
                line={"color": styles[target].colour, "width": 1.2, "dash": "dot"},
                name=f"{escaped(target_name(target))}, selected",
                hovertemplate="direction %{x}: %{y:.3f} of the first<extra></extra>",
            )
        )
    drawn.update_layout(showlegend=True)


def measures(targets: Sequence[str], results: Sequence[Space], texts: int, pairs: str) -> None:
    """Measures of isotropy of each target, and what they measure."""
    from workbench.metrics import METHODS as METRICS

    shown: dict[str, Method] = {}
    for target, result in zip(targets, results, strict=True):
        measured = {
            name: value for name, value in result.metrics.items() if isinstance(value, float) and not missing(value)
        }
        shown |= {name: METRICS[name] for name in measured if name in METRICS}
        error = result.metrics.get("uniformity_error")
        sampled = f" <small>uniformity sampled, standard error {error:.1g}</small>" if isinstance(error, float) else ""
        on = str(result.metrics.get("fitted_on") or "")
        fitted = f" <small>fitted on {html(on)}</small>" if on else ""
        st.html(f'<p class="of">{html(target_name(target))}{fitted}{sampled}</p>')
        facts(
            {shown[name].title: _measured(value) for name, value in measured.items() if name in shown},
            {method.title: method.tags.get("direction", "") for method in shown.values()},
        )
    quiet(f"Over {texts:,} sentences of {pairs}, evenly taken.")
    for method in shown.values():
        st.html(f'<p class="of">{html(method.title)}</p>')
        st.latex(method.formula)
        quiet(f"{method.summary} {method.source}")
    quiet("They need not agree: some use the largest directions, some all of them, some only neighbours.")


def _measured(value: float) -> str:
    """A measure with enough digits to distinguish it from 0."""
    return figure(value, 0 if abs(value) >= 10 else 2 if abs(value) >= 0.1 or value == 0 else 4)
