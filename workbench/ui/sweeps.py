"""Grids and tournaments, looked at on Compare: one at a time, its figure, its table, its data."""

from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench import api
from workbench.data.marks import GOLD, TRANSDUCTIVE
from workbench.store.events import DONE, ENDED
from workbench.sweeps import TOURNAMENT, Sweep
from workbench.sweeps.results import MEASURES, SUITE, baseline_of, marks, pair_sets, summarised
from workbench.ui.address import choose, choose_button
from workbench.ui.figures import show
from workbench.ui.notices import attempt, empty, guarded, quiet
from workbench.ui.repeat import python_call, repeat
from workbench.ui.tables import pairs_name
from workbench.ui.theme import dark
from workbench.ui.words import plain

if TYPE_CHECKING:
    from pandas import DataFrame

from workbench.ui.sweep_sheets import grid_sheet, tournament_sheet


def show_sweeps() -> None:
    """The Sweeps mode of Compare: one grid or tournament, its figure, its table, its data."""
    known = {sweep.id: sweep for sweep in api.sweeps()}
    if not known:
        empty("No grid and no tournament yet.", "Below the form of the Train page you can ask for one.")
        st.page_link("pages/train.py", label="To the Train page", icon=":material/arrow_forward:")
        return
    wanted = st.query_params.get("sweep", "")
    if wanted and wanted not in known:
        empty(f"There is no sweep {wanted} in this folder.", "Choose one from the list.")
    chosen = choose(
        "Sweep", list(known), key="sweep", start=next(iter(known)), always=True, shown=lambda name: _title(known[name])
    )
    sweep = known[chosen]
    active = sweep.live

    @st.fragment(run_every=3 if active else None)
    def panel() -> None:
        with guarded():
            _panel(sweep)
        if active and not sweep.live:
            st.rerun()

    panel()
    with st.expander("What all of its runs have in common"):
        st.json(sweep.asked)
        quiet(f"Runs folder: .sweeps/{sweep.id}.json")
        if st.button("Forget this sweep; its runs stay", key=f"forget.{sweep.id}", type="tertiary") and attempt(
            lambda: api.delete_sweep(sweep.id), "The sweep is forgotten."
        ):
            st.query_params.pop("sweep", None)
            st.session_state.pop("sweep", None)
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
        if set(states) & {"missing", "stopped", "failed", "lost"} and not sweep.live:
            quiet("Ask for it again on the Train page: what is missing is queued, what was stopped goes on.")
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
            "Checkpoint", ["best", "last"], key="at", start="best", help="best: the step that its selection chose."
        )
    points = sweep.results(measure, pairs=pairs, checkpoint=checkpoint)
    table = summarised(points, list(sweep.over), baseline=baseline_of(sweep.kind))
    _figure(sweep, table, points, measure)
    if (table["n"] > 0).any():
        st.html(
            tournament_sheet(table, measure)
            if sweep.kind == TOURNAMENT
            else grid_sheet(table, list(sweep.over), measure)
        )
    repeat(
        python_call("sweep", sweep.id) + f".summary({measure!r}, pairs={pairs!r}, checkpoint={checkpoint!r})",
        command=f"python -m workbench sweep show {sweep.id} --measure {measure}",
    )


def _drawings(sweep: Sweep) -> list[str]:
    """The figures that can show a sweep, the literature's first."""
    if sweep.kind == TOURNAMENT:
        return ["dots"]
    if len(sweep.over) == 1:
        return ["line", "dots"] if _numeric(sweep) else ["dots"]
    return ["map", "line", "dots"] if _numeric(sweep) else ["map", "dots"]


def _numeric(sweep: Sweep) -> list[str]:
    """The axes that a line can run along: several values, all of them numbers."""
    return [
        axis
        for axis, values in sweep.over.items()
        if len(values) > 1 and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    ]


def _figure(sweep: Sweep, table: "DataFrame", points: "DataFrame", measure: str) -> None:
    from workbench.plots.sweep_dots import sweep_dots
    from workbench.plots.sweep_line import sweep_line
    from workbench.plots.sweep_map import sweep_map

    kinds, axes = _drawings(sweep), list(sweep.over)
    kind = kinds[0]
    if len(kinds) > 1:
        names = {"map": "Heat map", "line": "Lines" if len(axes) > 1 else "Line", "dots": "Ranked"}
        kind = choose_button("Drawn as", kinds, key="drawn", start=kinds[0], shown=names.__getitem__)
    about: dict[str, Any] = {"words": MEASURES[measure].words, "scale": MEASURES[measure].scale}
    about |= {"higher": MEASURES[measure].higher, "dark": dark()}
    if kind == "line":
        across = _numeric(sweep)[-1]
        drawn = sweep_line(table, points, axis=across, series="".join(a for a in axes if a != across), **about)
    elif kind == "map":
        drawn = sweep_map(table, down=axes[0], across=axes[1], **about)
    else:
        drawn = sweep_dots(table, points, axes=axes, **about)
    show(drawn, key=f"sweep.{sweep.id}.{kind}", caption=_caption(sweep, points), data=points)


def _caption(sweep: Sweep, points: "DataFrame") -> str:
    attrs = points.attrs
    said_ = [f"{pairs_name(attrs['pairs'])}, {attrs['checkpoint']} checkpoint"] if attrs["pairs"] else []
    said_.append("means over seeds with 95 % t intervals")
    against = "no augmentation" if sweep.kind == TOURNAMENT else "the best, which was picked by the same scores"
    meant = {TRANSDUCTIVE: "transductive: trained on sentences that are scored", GOLD: GOLD}
    said_ += [meant[mark] for mark in (marks(sweep, attrs["pairs"], attrs["checkpoint"]) if attrs["pairs"] else ())]
    over = "" if sweep.kind == TOURNAMENT else " over every two settings"
    said_.append(f"tie: paired over seeds against {against}, p > .05 after Holm{over}")
    if sweep.kind == TOURNAMENT:
        said_.append(
            "filled: differs beyond noise; sentences that an augmentation leaves alone leave the negatives' batch"
        )
    return "; ".join(said_)
