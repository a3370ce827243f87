"""Curves over training steps: loss, accuracy, geometry and ranking, one panel per measure."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from workbench.core.errors import UnknownName
from workbench.plots import takeaway
from workbench.plots.template import Style, dress, head_panels, label_of, names_of, rows_of, styles_for

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

MOST_POINTS = 500
WORDS = {
    "loss": "loss (nats), lower is better",
    "accuracy": "in-batch accuracy",
    "masked_loss": "masked loss on held-out text (nats), lower is better",
    "masked_accuracy": "masked accuracy on held-out text",
    "spearman": "Spearman × 100, higher is better",
    "uniformity": "uniformity, lower is better",
    "alignment": "alignment, lower is better",
    "mean_cosine": "mean cosine of random pairs, nearer 0 is more open",
    "learning_rate": "learning rate",
    "gradient_norm": "gradient norm",
}


def curves(
    table: "DataFrame",
    *,
    measures: Sequence[str] = (),
    dark: bool = False,
    styles: Mapping[str, Style] | None = None,
) -> go.Figure:
    """One panel per measure, one line per target, steps on x. At most 500 points per line, keeping its peaks.

    Columns: step and the measures; optional: target, label, untrained. Steps without a value of a measure are left out of
    its line, so steps and probes may share one table. Without `measures`, all that are in `WORDS` and have values are drawn.

    Raises:
        UnknownName: the table has no column for one of the `measures`.
    """
    chosen = list(measures) or [name for name in WORDS if name in table and table[name].notna().any()]
    for name in chosen:
        if name not in table:
            raise UnknownName(f"There are no values of {name} to draw.", way_out=f"There are: {', '.join(table)}.")
    point = "Nothing has been measured yet."
    if chosen:
        told = "mean_cosine" if "mean_cosine" in chosen else chosen[0]
        point = takeaway.curves(table, told, WORDS.get(told, told).split(",")[0])
    titles = [WORDS.get(name, name) for name in chosen]
    drawn = make_subplots(
        rows=max(1, len(chosen)), shared_xaxes=True, vertical_spacing=0.24 / max(1, len(chosen)), subplot_titles=titles
    )
    dress(
        drawn,
        dark=dark,
        takeaway=point,
        alt=f"Curves over training steps: {', '.join(titles)}. {point}",
        height=max(260, 170 * len(chosen) + 90),
        hovermode="x",
        showlegend=len(names_of(table)) > 1,
    )
    used = styles_for(table, styles, dark)
    for panel, measure in enumerate(chosen, 1):
        for name in names_of(table):
            rows = rows_of(table, name).dropna(subset=[measure]).sort_values("step", kind="stable")
            steps, values = rows["step"].to_numpy(), rows[measure].to_numpy(dtype=float)
            kept = decimate(values)
            drawn.add_trace(
                go.Scatter(
                    x=steps[kept],
                    y=values[kept] * (100 if measure == "spearman" else 1),
                    mode="lines+markers" if len(kept) <= 40 else "lines",
                    name=label_of(rows, name),
                    legendgroup=name,
                    showlegend=panel == 1,
                    line={"color": used[name].colour, "dash": used[name].dash, "width": 1.8},
                    marker={"color": used[name].colour, "symbol": used[name].symbol, "size": 6},
                    hovertemplate="%{y:.4g}",
                ),
                row=panel,
                col=1,
            )
    head_panels(drawn)
    drawn.update_xaxes(title_text="step", row=max(1, len(chosen)), col=1)
    return drawn


def decimate(values: "NDArray[np.floating]", most: int = MOST_POINTS) -> "NDArray[np.int64]":
    """Indices of at most `most` values, ascending: both ends, and the lowest and highest value of each stretch between.

    >>> decimate(np.array([0.0, 9.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), most=6).tolist()
    [0, 1, 2, 4, 5, 7]
    """
    if len(values) <= most:
        return np.arange(len(values))
    stretches = np.array_split(np.arange(1, len(values) - 1), (most - 2) // 2)
    kept = {0, len(values) - 1}
    for places in stretches:
        kept |= {int(places[values[places].argmin()]), int(places[values[places].argmax()])}
    return np.array(sorted(kept))
