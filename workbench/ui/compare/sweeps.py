"""Grids and tournaments on Compare, one at a time: figure, table and data."""

import shlex
from typing import TYPE_CHECKING, TypedDict

import streamlit as st

from workbench import api
from workbench.data.marks import GOLD, TRANSDUCTIVE
from workbench.data.paper_figures import published_curve
from workbench.plots.sweep_takeaway import NOTHING
from workbench.store.events import DONE, ENDED, STOPPABLE
from workbench.sweeps import TOURNAMENT, Sweep
from workbench.sweeps.results import MEASURES, SUITE, baseline_of, marks, pair_sets, summarised
from workbench.ui.compare.sweep_sheets import grid_sheet, tournament_sheet
from workbench.ui.kit.address import choose, choose_button, replace_choice
from workbench.ui.kit.figures import show, takeaway
from workbench.ui.kit.notices import attempt, empty, fragment, guarded, quiet, trouble
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.score_notes import pairs_name
from workbench.ui.kit.stopping import stopped_words
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import count, plain
from workbench.ui.targets.names import run_name

if TYPE_CHECKING:
    from pandas import DataFrame


_MOST_REASONS = 3
"""Most reasons of failed runs that are shown."""
_STOP_HELP = (
    "Waiting runs are removed from the queue and running ones are stopped, including those that another sweep shares. "
    "None is deleted: start the sweep again on the Train page to resume them."
)


def show_sweeps() -> None:
    """The Sweeps mode of Compare: one grid or tournament with its figure, table and data."""
    known = {sweep.id: sweep for sweep in api.sweeps()}
    if not known:
        empty("No grids or tournaments yet.", "Start one below the form on the Train page.")
        st.page_link("pages/train.py", label="Go to Train", icon=":material/arrow_forward:")
        return
    chosen = choose(
        "Sweep",
        list(known),
        key="sweep",
        start=next(iter(known)),
        always=True,
        shown=lambda name: _title(known[name]),
        why_missed="It was deleted, or is in another runs folder.",
    )
    sweep = known[chosen]
    active = sweep.live

    @fragment(run_every=3 if active else None)
    def panel() -> None:
        with guarded():
            _panel(sweep)
        if active and not sweep.live:
            st.rerun()

    panel()
    with st.expander("Settings shared by all of its runs"):
        st.json(sweep.asked)
        quiet(f"Runs folder: .sweeps/{sweep.id}.json")
        if st.button("Delete this sweep, keep its runs", key=f"forget.{sweep.id}", type="tertiary") and attempt(
            lambda: api.delete_sweep(sweep.id), "The sweep was deleted; its runs are kept."
        ):
            replace_choice("sweep")
            st.rerun()


def _title(sweep: Sweep) -> str:
    corpus = str(sweep.asked.get("corpus", "")).replace("\\", "/").rsplit("/", 1)[-1]
    return f"{sweep.title} · {sweep.asked.get('backbone', '')}, {corpus} · {len(sweep.cells)} runs"


def _panel(sweep: Sweep) -> None:
    states = sweep.states
    ended, whole = sum(states.get(state, 0) for state in ENDED), sum(states.values())
    if states.get(DONE, 0) < whole:
        parts = ", ".join(f"{count} {state}" for state, count in states.items())
        st.progress(ended / whole, text=plain(f"{ended} of {whole} runs have ended: {parts}"))
        _failures(sweep)
        if not states.keys().isdisjoint(STOPPABLE) and st.button(
            "Stop this sweep", key=f"stop.{sweep.id}", help=_STOP_HELP
        ):
            _stop(sweep)
        if set(states) & {"missing", "stopped", "failed", "lost"} and not sweep.live:
            quiet("Start it again on the Train page: missing runs are queued, stopped and failed runs are resumed.")
    on, measured, at = st.columns(3, gap="medium")
    with measured:
        measure = choose(
            "Measure", list(MEASURES), key="measure", start="spearman", shown=lambda name: MEASURES[name].words
        )
    sets = pair_sets(sweep)
    with on:
        shown = {name: name if name == SUITE else pairs_name(name) for name in sets} or {"": "none scored yet"}
        pairs = choose("Scored on", list(shown), key="on", start=next(iter(shown)), shown=lambda name: shown[name])
    with at:
        checkpoint = choose_button(
            "Checkpoint", ["best", "last"], key="at", start="best", help="best: the step a run chose, or else its last."
        )
    points = sweep.results(measure, pairs=pairs, checkpoint=checkpoint)
    table = summarised(points, list(sweep.over), baseline=baseline_of(sweep.kind))
    if (table["n"] > 0).any():
        _figure(sweep, table, points, measure)
        st.html(
            tournament_sheet(table, measure)
            if sweep.kind == TOURNAMENT
            else grid_sheet(table, list(sweep.over), measure)
        )
    else:
        takeaway(NOTHING if sweep.live else "No run has a score of this kind.")
    scored_on = f" --pairs {shlex.quote(pairs)}" if pairs else ""
    repeat(
        python_call("sweep", sweep.id) + f".summary({measure!r}, pairs={pairs!r}, checkpoint={checkpoint!r})",
        command=f"python -m workbench sweep show {sweep.id} --measure {measure}{scored_on} --checkpoint {checkpoint}",
    )


def _stop(sweep: Sweep) -> None:
    if attempt(lambda: st.toast(stopped_words(api.stop_sweep(sweep.id)) or "No run was waiting or running.")):
        st.rerun()


def _failures(sweep: Sweep) -> None:
    """Why runs ended with an error: each reason once, with the way to a run that it ended."""
    for reason, runs in list(sweep.failures.items())[:_MOST_REASONS]:
        trouble(f"{count(len(runs))} {'run' if len(runs) == 1 else 'runs'} ended with an error. {reason}")
        st.page_link(
            "pages/runs.py",
            label=plain(run_name(runs[0])),
            icon=":material/arrow_forward:",
            query_params={"run": runs[0].id},
        )


def _drawings(sweep: Sweep) -> list[str]:
    """The figures that can show a sweep, the one used in papers first."""
    if sweep.kind == TOURNAMENT:
        return ["dots"]
    if len(sweep.over) == 1:
        return ["line", "dots"] if _numeric(sweep) else ["dots"]
    return ["map", "line", "dots"] if _numeric(sweep) else ["map", "dots"]


def _numeric(sweep: Sweep) -> list[str]:
    """The axes for a line plot: several values, all numeric."""
    return [
        axis
        for axis, values in sweep.over.items()
        if len(values) > 1 and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    ]


class _Drawing(TypedDict):
    """Arguments that every figure of a sweep takes."""

    words: str
    scale: float
    higher: bool
    dark: bool


def _figure(sweep: Sweep, table: "DataFrame", points: "DataFrame", measure: str) -> None:
    from workbench.plots.sweep_dots import sweep_dots
    from workbench.plots.sweep_line import sweep_line
    from workbench.plots.sweep_map import sweep_map

    kinds, axes = _drawings(sweep), list(sweep.over)
    kind = kinds[0]
    if len(kinds) > 1:
        names = {"map": "Heat map", "line": "Lines" if len(axes) > 1 else "Line", "dots": "Ranked"}
        kind = choose_button("Drawn as", kinds, key="drawn", start=kinds[0], shown=names.__getitem__)
    about = MEASURES[measure]
    drawing: _Drawing = {"words": about.words, "scale": about.scale, "higher": about.higher, "dark": dark()}
    if kind == "line":
        across = _numeric(sweep)[-1]
        published = published_curve(str(sweep.asked["recipe"]), across) if measure == "spearman" else None
        series = "".join(axis for axis in axes if axis != across)
        drawn = sweep_line(table, points, axis=across, series=series, published=published, **drawing)
    elif kind == "map":
        drawn = sweep_map(table, down=axes[0], across=axes[1], **drawing)
    else:
        drawn = sweep_dots(table, points, axes=axes, **drawing)
    show(drawn, key=f"sweep.{sweep.id}.{kind}", caption=_caption(sweep, points), data=points)


def _caption(sweep: Sweep, points: "DataFrame") -> str:
    attrs = points.attrs
    parts = [f"{pairs_name(attrs['pairs'])}, {attrs['checkpoint']} checkpoint"] if attrs["pairs"] else []
    parts.append("means over seeds with 95 % t intervals")
    against = "no augmentation" if sweep.kind == TOURNAMENT else "the best, which was chosen by the same scores"
    meant = {TRANSDUCTIVE: "transductive: trained on scored sentences", GOLD: GOLD}
    parts += [meant[mark] for mark in (marks(sweep, attrs["pairs"], attrs["checkpoint"]) if attrs["pairs"] else ())]
    over = "" if sweep.kind == TOURNAMENT else " over every two settings"
    parts.append(f"tie: paired over seeds against {against}, p > .05 after Holm{over}")
    if sweep.kind == TOURNAMENT:
        parts.append(
            "filled: differs beyond noise; sentences that an augmentation does not change are dropped from the batch of negatives"
        )
    return "; ".join(parts)
