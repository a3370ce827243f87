"""The runs as a sortable table, and the choice of the one that is shown."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench import api
from workbench.store import events
from workbench.store.listed import rows
from workbench.ui.kit.address import choose
from workbench.ui.kit.words import DASH
from workbench.ui.targets.names import shown_name

if TYPE_CHECKING:
    from pandas import DataFrame

SIGNS = {
    "queued": "◌ queued",
    "starting": "◔ starting",
    "running": "▶ running",
    "stopping": "◼ stopping",
    "saving": "◕ saving",
    "done": "● done",
    "stopped": "◼ stopped",
    "failed": "✕ failed",
    "lost": "? lost",
    "": "? damaged",
}
"""A symbol and a word for each state, so that colour is never needed to tell them apart."""

_LIVE_SECONDS, _IDLE_SECONDS = 3, 20
"""How often the table is refreshed while a run is live, and while none is, since one may be queued elsewhere."""


def runs_table(runs: Sequence[api.Run]) -> "DataFrame":
    """One row per run. Numbers and times keep their types, so that they sort; unknown values are missing."""
    import pandas

    lines = []
    for run, row in zip(runs, rows(runs), strict=True):
        about = row.about
        lines.append(
            {
                "run": shown_name(run.id, row.name),
                "state": f"{SIGNS['' if row.problem else about.state]}{', damaged' if about.damage and not row.problem else ''}",
                "started": about.started,
                "progress": min(1.0, about.step / about.steps) if about.steps else None,
                "step": about.step if about.steps else None,
                "steps": about.steps or None,
                "time left": about.seconds_left,
                "best dev": None if about.best_spearman is None else 100 * about.best_spearman,
                "backbone": row.backbone or None,
                "corpus": row.corpus or None,
                "seed": row.seed,
                "size": about.size_bytes,
                "id": run.id,
            }
        )
        if about.mark:
            lines[-1]["marks"] = about.mark
    table = pandas.DataFrame(lines)
    if "marks" in table:  # next to the score that it qualifies
        table.insert(table.columns.get_loc("best dev") + 1, "marks", table.pop("marks"))
    table["started"] = pandas.to_datetime(table["started"].astype(float), unit="s", utc=True)
    table["time left"] = pandas.to_timedelta(table["time left"].astype(float).round(), unit="s")
    whole = dict.fromkeys(("step", "steps", "seed", "size"), "Int64")
    return table.astype(whole | dict.fromkeys(("progress", "best dev"), "float64"))


def live_table(runs: Sequence[api.Run]) -> None:
    """All runs; selecting a row opens it below. The table refreshes itself, and the whole page reruns whenever a run appears,
    disappears, starts or ends.
    """
    there = _standing(runs)

    @st.fragment(run_every=_LIVE_SECONDS if any(there.values()) else _IDLE_SECONDS)
    def panel() -> None:
        now = api.runs()
        if _standing(now) != there:
            st.rerun()
        _table(now)

    panel()


def _standing(runs: Sequence[api.Run]) -> dict[str, bool]:
    """Which runs exist, and whether each is live."""
    live = (events.QUEUED, *events.LIVE)
    return {run.id: row.about.state in live for run, row in zip(runs, rows(runs), strict=True)}


def _table(runs: Sequence[api.Run]) -> None:
    table = runs_table(runs)

    def chosen() -> None:
        rows = st.session_state["runs.table"]["selection"]["rows"]
        if rows:
            st.session_state["run"] = table["id"].iloc[rows[0]]
            st.rerun()

    columns = st.column_config
    st.dataframe(
        table,
        hide_index=True,
        key="runs.table",
        on_select=chosen,
        selection_mode="single-row",
        height=min(35 * (len(table) + 1) + 3, 320),
        column_order=[name for name in table if name != "id"],
        column_config={
            "started": columns.DatetimeColumn(format="distance"),
            "progress": columns.ProgressColumn(min_value=0.0, max_value=1.0, format="percent"),
            "step": columns.NumberColumn(format="%,d"),
            "steps": columns.NumberColumn("of", format="%,d", help="Steps requested."),
            "time left": columns.NumberColumn(format="compact", help="Hours, minutes, seconds."),
            "best dev": columns.NumberColumn(format="%.2f", help="Best Spearman × 100 of the probes."),
            "marks": columns.TextColumn(
                help="Trained on the sentences that its probes score, or also on their gold scores."
            ),
            "seed": columns.NumberColumn(format="%d"),
            "size": columns.NumberColumn(format="bytes"),
        },
        placeholder=DASH,
        alt="All runs with state, age, progress, time left, best development Spearman and size",
    )


def pick_run(runs: Sequence[api.Run]) -> api.Run | None:
    """The run that is shown, kept in the address; by default the newest."""
    by_id = {run.id: run for run in runs}
    names = {run.id: shown_name(run.id, row.name) for run, row in zip(runs, rows(runs), strict=True)}
    chosen = choose(
        "Run",
        list(by_id),
        key="run",
        start=runs[0].id,
        always=True,
        shown=lambda run_id: names.get(run_id, run_id),
        why_missed="It was deleted, or the link was made on another machine.",
    )
    return by_id.get(chosen)
