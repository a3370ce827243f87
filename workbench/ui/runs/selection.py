"""What is done with several selected runs: compare them, see their settings, tag them, stop, resume and delete them."""

from collections.abc import Iterable, Sequence

import streamlit as st

from workbench import api
from workbench.core.errors import WorkbenchError
from workbench.store import events
from workbench.store.differences import differences
from workbench.store.lookup import NEWEST
from workbench.ui.kit.notices import attempt, quiet, trouble
from workbench.ui.kit.score_notes import sheet
from workbench.ui.kit.stopping import stopped_words
from workbench.ui.kit.words import count, html, plain
from workbench.ui.runs.deletion import delete_button
from workbench.ui.runs.listing import SELECTED
from workbench.ui.runs.overlaid import show_curves
from workbench.ui.runs.panel import lacking
from workbench.ui.runs.tagging import tags_of
from workbench.ui.targets.names import run_name

_REFUSED = "selected.refused"
"""Session key: why runs could not be stopped or resumed by the last press of a button."""


def selected_runs(runs: Sequence[api.Run]) -> list[api.Run]:
    """The runs that are selected in the table, if they are several."""
    chosen = st.session_state.get(SELECTED, [])
    selected = [run for run in runs if run.id in chosen]
    return selected if len(selected) > 1 else []


def show_selection(runs: Sequence[api.Run]) -> None:
    """The selected runs side by side."""
    st.header(f"{count(len(runs))} selected runs", anchor=False)
    with st.container(horizontal=True, vertical_alignment="center"):
        usable = [run.id for run in runs if run.kept in run.checkpoints or run.has_scores_alone(run.kept)]
        if usable:
            st.page_link(
                "pages/compare.py",
                label="Compare their scores",
                icon=":material/arrow_forward:",
                query_params={"targets": usable},
            )
        _stop(runs)
        _resume(runs)
        _tag(runs)
        delete_button(runs)
        if st.button("Clear the selection", key="selected.clear", type="tertiary"):
            st.session_state[SELECTED] = []
            st.rerun()
    for error in st.session_state.pop(_REFUSED, ()):
        trouble(error)
    if without := [run_name(run) for run in runs if run.id not in usable]:
        quiet(f"Without a model to compare: {'; '.join(without)}.")
    show_curves(runs)
    _settings(runs)


def _stop(runs: Sequence[api.Run]) -> None:
    from workbench.scheduler import launch

    able = [run for run in runs if run.state in events.STOPPABLE]
    if able and st.button(
        "Stop those waiting or running",
        key="selected.stop",
        help="Waiting runs are removed from the queue. None is deleted: Resume continues them.",
    ):
        refused = launch.stop_all(able)
        _told(stopped_words([run for run in able if run.id not in refused]), refused.values())


def _resume(runs: Sequence[api.Run]) -> None:
    """Those that wait for the acceptance of a warning are left out: it is read on their own panels."""
    from workbench.ui.configs.allowed import config_inside

    able = [run for run in runs if run.state in events.RESUMABLE and not run.problem and not lacking(run)]
    if able and st.button("Resume", key="selected.resume", help="Continues those that were stopped, failed or lost."):
        refused = list[WorkbenchError]()
        for run in sorted(able, key=lambda run: run.id):  # in the order in which they were made
            try:
                api.resume(run, check=config_inside)
            except WorkbenchError as error:
                refused.append(error)
        done = len(able) - len(refused)
        _told(f"{count(done)} {'run was' if done == 1 else 'runs were'} queued again." if done else "", refused)


def _told(done: str, refused: Iterable[WorkbenchError]) -> None:
    """Say what a button did; why not to all is said below the buttons, once these are for the runs as they are now."""
    if done:
        st.toast(plain(done))
    st.session_state[_REFUSED] = tuple(refused)
    st.rerun()


def _tag(runs: Sequence[api.Run]) -> None:
    with st.popover("Tag", icon=":material/label:"):
        known = tags_of(api.runs(newest=NEWEST))
        text = st.text_input(
            "Tags, with commas between",
            key="selected.tags",
            help=f"In use: {', '.join(map(plain, known))}" if known else None,
        )
        tags = [tag.strip() for tag in text.split(",") if tag.strip()]
        with st.container(horizontal=True):
            add = st.button("Add to all", key="selected.tag", type="primary")
            remove = st.button("Remove from all", key="selected.untag")
        action = api.tag if add else api.untag if remove else None
        if (
            action
            and tags
            and attempt(
                lambda: [action(run, *tags) for run in runs],
                f"The tags of {len(runs)} run{'s' * (len(runs) != 1)} were changed.",
            )
        ):
            st.rerun()


def _settings(runs: Sequence[api.Run]) -> None:
    """The settings in which the runs differ, a column for each run."""
    known = [run for run in runs if not run.problem]
    table = differences([run.config for run in known])
    st.html("<h3>Settings that differ</h3>")
    if table.empty:
        quiet("All settings of these runs are the same.")
        return
    names = "".join(f"<th class='words'>{html(run_name(run))}</th>" for run in known)
    rows = [
        f"<tr><td class='words'><code>{html(setting)}</code></td>"
        + "".join(f"<td class='words'>{html(value)}</td>" for value in values)
        + "</tr>"
        for setting, *values in table.itertuples()
    ]
    sheet(f"<th class='words'>Setting</th>{names}", rows)
    if any("seed" in str(name) for name in table.index) and len(table) == 1:
        quiet("They differ in nothing but the seed: repetitions of one configuration.")
