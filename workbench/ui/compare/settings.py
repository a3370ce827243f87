"""The settings in which the compared methods differ."""

from collections.abc import Mapping, Sequence

import streamlit as st

from workbench import api
from workbench.store.differences import differences
from workbench.targets.target import split
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.score_notes import sheet
from workbench.ui.kit.words import html
from workbench.ui.targets.names import is_trained_here


def show_settings(groups: Mapping[str, Sequence[str]], names: Mapping[str, str], swatches: Mapping[str, str]) -> None:
    """The settings in which the trained methods differ, a column for each, in an expander; nothing for fewer than two."""
    known = trained_methods(groups)
    if len(known) < 2:
        return
    with st.expander("Settings that differ"):
        table = differences([run.config for run in known.values()]).drop(index="training.seed", errors="ignore")
        if table.empty:
            quiet(
                "These methods were trained with the same settings: they differ in the checkpoint, pooling or transform."
            )
            return
        head = "".join(f"<th class='words'>{swatches[name]}{html(names[name])}</th>" for name in known)
        rows = [
            f"<tr><td class='words'><code>{html(setting)}</code></td>"
            + "".join(f"<td class='words'>{html(value)}</td>" for value in values)
            + "</tr>"
            for setting, *values in table.itertuples()
        ]
        sheet(f"<th class='words'>Setting</th>{head}", rows)


def trained_methods(groups: Mapping[str, Sequence[str]]) -> dict[str, api.Run]:
    """The first run of each method that was trained here, by the method's name; damaged ones are left out."""
    runs = {name: api.run(split(own[0]).name) for name, own in groups.items() if is_trained_here(own[0])}
    return {name: run for name, run in runs.items() if not run.problem}
