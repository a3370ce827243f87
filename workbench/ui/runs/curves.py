"""The curves of a run and its path on the plane."""

from typing import TYPE_CHECKING

import streamlit as st

from workbench import api
from workbench.data.references import set_name
from workbench.ui.kit.figures import show_made
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import count
from workbench.ui.runs import takeaways
from workbench.ui.runs.pretraining import masked_point
from workbench.ui.targets.names import run_name
from workbench.ui.targets.styles import styles_of

if TYPE_CHECKING:
    from pandas import DataFrame


def run_figures(run: api.Run) -> None:
    """Curves of a run and its path on the plane."""
    from workbench.plots.curves import curves
    from workbench.plots.plane import plane

    steps, probes = run.steps, run.probes
    if steps.empty and probes.empty:
        quiet(
            "The curves start with the first step."
            if run.live
            else "It ended before the first step, so there are no curves."
        )
        return
    import pandas

    known = [name for name in ("step", "loss", "accuracy") if name in steps and steps[name].notna().any()]
    masked = ("masked_loss", "masked_accuracy")
    measured = [name for name in ("step", *masked, "spearman", "uniformity", "mean_cosine") if name in probes]
    table = pandas.concat(
        [steps[known] if known else steps, probes[measured] if measured else probes], ignore_index=True
    )
    table = table.assign(target=run.id, label=run_name(run), untrained=False)
    mine = styles_of([run.id])
    left, right = st.columns(2, gap="large")
    probed = set_name(run.config.probe.pairs)
    pairs = probed or "texts of the corpus, since no scored pairs are set"
    on = f"probes on {pairs}, {when_probed(run)}"
    # Probes are faster and coarser than the final evaluation, which is in fp32.
    on += "" if run.precision in ("auto", "fp32") else f", in {run.precision}"
    with left:
        asked = ("loss", *masked, "spearman") if run.config.pretrains else ("loss", "spearman", "mean_cosine")
        wanted = [name for name in asked if name in table and table[name].notna().any()]
        show_made(
            lambda: curves(table, measures=wanted, dark=dark(), styles=mine),
            table,
            wanted,
            mine,
            key=f"curves.{run.id}",
            point=masked_point(probes) if run.config.pretrains else takeaways.curves(probes, probed),
            caption=f"{on}; losses in nats",
            data=table,
        )
    with right:
        placed = _placed(probes)
        if not placed.empty:
            path = placed.assign(target=run.id, label=run_name(run), untrained=False)
            show_made(
                lambda: plane(path, dark=dark(), styles=mine),
                path,
                mine,
                key=f"path.{run.id}",
                point=takeaways.path(placed),
                caption=on,
                data=path,
                height=430,
            )
        else:
            quiet(_no_path(run, probes))


def _placed(probes: "DataFrame") -> "DataFrame":
    """The probes that have a place on the plane. A run measures alignment on one set of pairs: a row that names another, or none,
    is damaged.
    """
    if not {"alignment", "uniformity", "alignment_on"} <= set(probes):
        return probes.iloc[:0]
    measured = probes.dropna(subset=["alignment", "uniformity"])
    return measured[measured["alignment_on"].isin(measured["alignment_on"].mode()[:1])]


def when_probed(run: api.Run) -> str:
    """At which steps a run was probed: also wherever its best step is chosen, since that needs the same scores. One that ended
    early has no probe at the end.
    """
    config, probes = run.config, run.probes
    steps = [config.probe.every, *([config.selection.every] if config.selection.selects else [])]
    apart = sorted(every for every in set(steps) if not any(every % other == 0 for other in steps if other < every))
    numbers = " and ".join(count(every) for every in apart if every > 1)
    often = f"every {numbers} steps" if numbers else "at every step"
    if not run.live and not probes.empty and (last := int(probes["step"].iloc[-1])) < run.progress.steps:
        return f"{often}, the last at step {count(last)}"
    return f"{often} and at the end" if numbers else often


def _no_path(run: api.Run, probes: "DataFrame") -> str:
    """Why the plane is empty."""
    if not probes.empty:
        pairs = f"{set_name(run.config.probe.pairs)} has no positive pairs (gold in the top fifth of its scale)"
        why = pairs if run.config.probe.pairs else "its probes did not measure alignment"
        return f"There is no path on the plane: {why}."
    if run.live:
        return "The path on the plane starts with the first probe."
    return "There is no path on the plane: the run ended before the first probe."
