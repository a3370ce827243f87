"""The runs as a table that filters and sorts, and the choice of those that are shown."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from workbench import api
from workbench.data.marks import TRANSDUCTIVE
from workbench.store import events, names
from workbench.store.differences import differences
from workbench.store.listed import rows, stamp
from workbench.store.lookup import NEWEST
from workbench.store.names import runs_folder
from workbench.store.searching import search
from workbench.ui.kit.address import bound_field, choose, read_address, write_address
from workbench.ui.kit.glossary import MEANINGS
from workbench.ui.kit.notices import fragment, quiet
from workbench.ui.kit.score_notes import pairs_name
from workbench.ui.kit.words import DASH, SIGNS, count
from workbench.ui.targets.names import shown_name

if TYPE_CHECKING:
    from pandas import DataFrame

SELECTED = "selected"
"""Parameter of the page, and session key: the ids of the runs that are selected in the table."""
_REPORTED, _TURN, _PICKED = "runs.reported", "runs.turn", "runs.picked"
"""Session keys: the selection that the table last had, a number that makes a new table, whether a row was just selected."""
_ALL = "all"
"""Parameter of the page, and session key: whether more than the newest runs are listed."""
_LIVE_SECONDS, _IDLE_SECONDS = 3, 20
"""How often the table is refreshed while a run is live, and while none is, since one may be queued elsewhere."""
MOST_LISTED = 5_000
"""How many runs are listed if more than the newest are asked for."""
_MOST_SETTINGS = 30
"""Most columns of settings that differ."""


def listed_runs() -> list[api.Run]:
    """The newest runs, those that are being worked on, and those that are chosen; with the switch below the table more."""
    more = st.session_state.get(_ALL) or st.query_params.get(_ALL) == "true"
    asked = [*st.query_params.get_all(SELECTED), *st.query_params.get_all("run")]
    asked += [*st.session_state.get(SELECTED, []), st.session_state.get("run") or ""]
    return api.runs(newest=MOST_LISTED if more else NEWEST, also=asked)


def runs_table(runs: Sequence[api.Run]) -> "DataFrame":
    """One row per run. Numbers and times keep their types, so that they sort; unknown values are missing."""
    import pandas

    listed = rows(runs)
    tests = {row.test_pairs for row in listed if row.test_pairs}
    lines = []
    for run, row in zip(runs, listed, strict=True):
        about = row.about
        lines.append(
            {
                "run": shown_name(run.id, row.name),
                "state": f"{SIGNS['' if row.problem else about.state]}{', damaged' if about.damage and not row.problem else ''}",
                "tags": list(row.tags),
                "recipe": row.recipe or None,
                "backbone": row.backbone or None,
                "corpus": row.corpus or None,
                "dev": None if about.spearman is None else 100 * about.spearman,
                "test": None if row.test_spearman is None else 100 * row.test_spearman,
                "progress": min(1.0, round(about.step / about.steps, 2)) if about.steps else None,
                "time left": about.seconds_left,
                "started": about.started,
                "seed": row.seed,
                "step": about.step if about.steps else None,
                "steps": about.steps or None,
                "size": about.size_bytes,
                "note": row.note or None,
                "id": run.id,
            }
        )
        if about.mark:
            lines[-1]["marks"] = about.mark
        if len(tests) > 1:
            lines[-1]["test on"] = row.test_pairs or None
    table = pandas.DataFrame(lines, columns=None if lines else ["run", "state", "id"])
    if not lines:
        return table
    for name, before in (("marks", "dev"), ("test on", "test")):  # next to the score that it qualifies
        if name in table:
            table.insert(table.columns.get_loc(before) + 1, name, table.pop(name))
    for name in ("tags", "note"):
        if not table[name].astype(bool).any() or table[name].isna().all():
            table = table.drop(columns=name)
    table.attrs["test"] = pairs_name(next(iter(tests))) if len(tests) == 1 else ""
    table["started"] = pandas.to_datetime(table["started"].astype(float), unit="s", utc=True)
    table["time left"] = pandas.to_timedelta(table["time left"].astype(float).round(), unit="s")
    whole = dict.fromkeys(("step", "steps", "seed", "size"), "Int64")
    return table.astype(whole | dict.fromkeys(("progress", "dev", "test"), "float64"))


def live_table(runs: Sequence[api.Run]) -> None:
    """All runs that match the filter; selecting rows opens them below. The table refreshes itself, and the whole page reruns
    whenever a run appears, disappears, starts or ends.
    """
    there = _standing(runs)
    read_address(SELECTED, [], several=True)
    chosen = [run_id for run_id in st.session_state[SELECTED] if run_id in there]
    write_address(SELECTED, chosen)
    st.session_state[SELECTED] = chosen
    if chosen != st.session_state.get(_REPORTED, []):  # from a link, or a button: the table starts anew with it
        st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
        st.session_state[_REPORTED] = chosen

    @fragment(run_every=_LIVE_SECONDS if any(there.values()) else _IDLE_SECONDS)
    def panel() -> None:
        now = listed_runs()
        if _standing(now) != there or st.session_state.pop(_PICKED, False):
            st.rerun()
        _table(now)

    panel()


def _standing(runs: Sequence[api.Run]) -> dict[str, bool]:
    """Which runs exist, and whether each is live."""
    live = (events.QUEUED, *events.LIVE)
    return {run.id: row.about.state in live for run, row in zip(runs, rows(runs), strict=True)}


def _table(runs: Sequence[api.Run]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="runs-filter"):
        text = bound_field(
            st.text_input,
            "Filter",
            key="filter",
            start="",
            max_chars=100,
            placeholder="name, id, tag, recipe, corpus, state, note",
        )
        differing = bound_field(
            st.toggle, "Only settings that differ", key="differing", start=False, help=_DIFFERING_HELP
        )
    every = runs_folder().newest_names()
    shown, unlisted = search(runs_folder(), runs, text, NEWEST)
    if not shown:
        quiet(f"None of {count(max(len(runs), len(every)))} runs matches the filter.")
        return
    table = runs_table(shown)
    if differing:
        table = _with_differing(table, shown)
    _draw(table)
    if text:
        further = f" {count(unlisted)} older ones match too: add a word." if unlisted else ""
        quiet(f"{count(len(shown))} of {count(max(len(runs), len(every)))} runs.{further}")
    if len(every) > NEWEST:
        all_of_them = len(every) <= MOST_LISTED
        label = f"all {count(len(every))}" if all_of_them else f"the newest {count(MOST_LISTED)} of {count(len(every))}"
        bound_field(st.toggle, f"List {label} runs", key=_ALL, start=False, help=_OLDER_HELP)


_OLDER_HELP = (
    "The filter looks through everything that is known of listed runs, and through the ids of all others, which have date, "
    "recipe, backbone and seed. Thousands take a while."
)


_DIFFERING_HELP = (
    "A column for each setting in which the listed runs differ, in place of recipe, backbone, corpus and seed."
)
_SETTINGS = ("recipe", "backbone", "corpus", "seed")


_TEST_HELP = "Spearman × 100{} of the kept model: the first evaluated pairs that neither selection nor probes use."


def _with_differing(table: "DataFrame", runs: Sequence[api.Run]) -> "DataFrame":
    """The table with a column for each setting that differs, after the scores."""
    known = [run for run in runs if not run.problem]
    values = _differing(tuple((run.folder, stamp(run.folder / names.CONFIG)) for run in known))
    table = table.drop(columns=[name for name in _SETTINGS if name in table])
    for name, row in values.items():
        by_id = dict(zip([run.id for run in known], row, strict=True))
        table.insert(table.columns.get_loc("progress"), name, table["id"].map(by_id))
    return table


def _short(name: str) -> str:
    """The last part of a setting's name; of a term's loss or objective, which term it is.

    >>> _short("training.seed"), _short("terms.1")
    ('seed', 'term 2')
    """
    last = name.rpartition(".")[2]
    return f"term {int(last) + 1}" if last.isdigit() else last


@lru_cache(8)
def _differing(stamps: tuple[tuple[Path, str], ...]) -> dict[str, list[str]]:
    """The settings that differ among these runs, by short name as far as that is unique. Cached: the table is drawn often."""
    found = differences([api.Run(folder).config for folder, _ in stamps])
    last = [_short(str(name)) for name in found.index]
    unique = [
        word if last.count(word) == 1 and word not in _TAKEN else str(name)
        for name, word in zip(found.index, last, strict=True)
    ]
    return dict(zip(unique[:_MOST_SETTINGS], found.to_numpy().tolist()[:_MOST_SETTINGS], strict=True))


_TAKEN = (
    "run",
    "state",
    "tags",
    "dev",
    "marks",
    "test",
    "test on",
    "progress",
    "time left",
    "started",
    "step",
    "steps",
    "size",
    "note",
    "id",
)
"""Names of the other columns."""


def _draw(table: "DataFrame") -> None:
    ids = list(table["id"])
    key = f"runs.table.{st.session_state.get(_TURN, 0)}.{hash(tuple(ids))}"
    chosen = st.session_state[SELECTED]

    def selected() -> None:
        kept = [run_id for run_id in st.session_state[SELECTED] if run_id not in ids]  # hidden by the filter
        picked = kept + [ids[row] for row in st.session_state[key]["selection"]["rows"]]
        st.session_state[SELECTED] = st.session_state[_REPORTED] = picked
        if len(picked) == 1:
            st.session_state["run"] = picked[0]
        st.session_state[_PICKED] = True

    columns = st.column_config
    st.dataframe(
        table,
        hide_index=True,
        key=key,
        on_select=selected,
        selection_mode="multi-row",
        selection_default={"selection": {"rows": [ids.index(run_id) for run_id in chosen if run_id in ids]}},
        height=min(35 * (len(table) + 1) + 3, 320),
        column_order=[name for name in table if name != "id" and (name != "time left" or table[name].notna().any())],
        column_config={
            "tags": columns.ListColumn(),
            "started": columns.DatetimeColumn(format="distance", width=132),
            "progress": columns.ProgressColumn(min_value=0.0, max_value=1.0, format="percent"),
            "step": columns.NumberColumn(format="%,d"),
            "steps": columns.NumberColumn("of", format="%,d", help="Steps requested."),
            "time left": columns.NumberColumn(format="compact", help="Hours, minutes, seconds."),
            "dev": columns.NumberColumn(
                format="%.2f",
                help="Spearman × 100 of the probe at the kept step: the chosen one, or the last if none is chosen.",
            ),
            "marks": columns.TextColumn(
                help="Trained on the sentences that its probes score, or also on their gold scores. "
                f"{TRANSDUCTIVE.capitalize()}: {MEANINGS[TRANSDUCTIVE]}"
            ),
            "test": columns.NumberColumn(
                format="%.2f", help=_TEST_HELP.format(f" on {pairs}" if (pairs := table.attrs.get("test")) else "")
            ),
            "test on": columns.TextColumn(help="The pairs of the column test."),
            "seed": columns.NumberColumn(format="%d"),
            "size": columns.NumberColumn(format="bytes"),
        },
        placeholder=DASH,
        alt="Runs with state, settings, development and test Spearman, progress, age, size, tags and notes",
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
