"""Scores that mteb or sentence-transformers wrote, beside one's own."""

from typing import TYPE_CHECKING

import streamlit as st

from workbench.ui.kit.asking import ask, when_answered
from workbench.ui.kit.figures import download, takeaway
from workbench.ui.kit.folders import inside
from workbench.ui.kit.folding import folded
from workbench.ui.kit.notices import footing, guarded, quiet
from workbench.ui.kit.score_notes import sheet
from workbench.ui.kit.words import DASH, count, html, score
from workbench.verbs import imported_scores

if TYPE_CHECKING:
    from pandas import DataFrame

_MOST_TASKS = 12


def imported_results() -> None:
    """A folder of results, and its scores: a row per model, a column per task."""
    part = folded(
        "Results from mteb or sentence-transformers",
        key="imported.part",
        start_open=bool(st.query_params.get("imported")),
    )
    if part is None:
        return
    with part, guarded():
        quiet(
            "mteb's result files, sentence-transformers' evaluation CSVs, and model cards with results are read, in a folder and "
            "those below it. A zip of runs of the workbench is imported on the page Runs."
        )
        folder = st.text_input(
            "Folder of results", key="imported", bind="query-params", placeholder="Path of a folder, then Enter"
        ).strip()
        if folder:
            asked = ask(imported_scores.VERB, slot="compare.imported", folder=inside(folder))
            when_answered([asked], lambda: _shown(asked.there), height=160)


def _shown(table: "DataFrame") -> None:
    names = table["task"] + table["split"].map(lambda split: f":{split}" if split not in ("", "test") else "")
    wide = table.assign(name=names).pivot_table(index="model", columns="name", values="score", aggfunc="first")
    takeaway(
        f"{count(len(table))} imported score{'s' * (len(table) != 1)} of {count(len(wide))} model{'s' * (len(wide) != 1)}."
    )
    columns = list(wide.columns)[:_MOST_TASKS]
    lines = [
        f'<tr><td class="words">{html(str(model))} <small>imported</small></td>'
        + "".join(f"<td>{DASH if value != value else score(value)}</td>" for value in row)
        + "</tr>"
        for model, row in zip(wide.index, wide[columns].to_numpy(), strict=True)
    ]
    sheet(f"<th class='words'>Model</th>{''.join(f'<th>{html(str(name))}</th>' for name in columns)}", lines)
    more = (
        f" {count(left)} more {'task is' if left == 1 else 'tasks are'} in the download."
        if (left := len(wide.columns) - _MOST_TASKS) > 0
        else ""
    )
    writers = html(", ".join(sorted(set(table["written_by"]))))
    footing(
        f"Score x 100 as each program wrote it ({writers}), Spearman of cosines where there is one. Without the "
        f"scores of pairs there is no interval and no verdict: evaluate the model here for these.{more}"
    )
    download(table, "imported.csv")
