"""Fetching the STS and transfer sets, on a click."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core.records import Row
from workbench.data.fetching import FETCHED, FILES, THERE
from workbench.store.names import runs_folder
from workbench.ui.kit.address import choose_several
from workbench.ui.kit.asking import ask, when_answered
from workbench.ui.kit.figures import takeaway
from workbench.ui.kit.folders import inside
from workbench.ui.kit.folding import folded
from workbench.ui.kit.notices import guarded, quiet
from workbench.ui.kit.score_notes import sheet
from workbench.ui.kit.words import DASH, count, html
from workbench.verbs import fetch

if TYPE_CHECKING:
    from pandas import DataFrame

_ASKED = "fetch.asked"
"""Session key: what was asked for, so that another choice does not begin to fetch by itself."""
_ROWS = "fetch.rows"
"""Session key: what became of each file that was asked for."""


def fetch_sets() -> None:
    """Where to, which sets, a button, and what became of each file."""
    part = folded("Fetch the STS and transfer sets from the Hugging Face Hub", key="fetch")
    if part is None:
        return
    with part, guarded():
        quiet(
            "Tens of megabytes, once. Every file is checked against the official number of rows and left out if it differs; the "
            "sets have licences of their own, shown below once they are here. The ids have not been tried against the Hub itself "
            "yet. No copy of CR or MPQA there is known to have the official size: take these two from SentEval."
        )
        folder = st.text_input(
            "Folder to write to", str(runs_folder().corpora / "sets"), key="fetch.folder", persist_state="session"
        ).strip()
        tasks = choose_several("Sets", list(FILES), key="fetch.tasks", start=list(FILES), typed=False)
        wanted = {"folder": inside(folder), "tasks": tasks}
        st.button("Fetch", key="fetch.go", on_click=_begin, args=(wanted,), disabled=not (folder and tasks))
        if st.session_state.get(_ASKED) == wanted:
            if rows := st.session_state.get(_ROWS):
                _fetched(rows, folder)
                return
            asked = ask(fetch.VERB, slot="compare.fetch", folder=folder, tasks=tasks)
            when_answered([asked], lambda: _arrived(asked.there, folder), height=160)


def _begin(wanted: dict[str, object]) -> None:
    st.session_state[_ASKED] = wanted
    st.session_state.pop(_ROWS, None)


def _arrived(table: "DataFrame", folder: str) -> None:
    """What was fetched, kept for this session: the same question about the folder, now full, would be asked anew."""
    st.session_state[_ROWS] = rows = table.to_dict("records")
    _fetched(rows, folder)


def _fetched(rows: Sequence[Row], folder: str) -> None:
    """Each file with its source and licence, or why it is not here."""
    here = sum(row["state"] in (FETCHED, THERE) for row in rows)
    takeaway(f"{count(here)} of {count(len(rows))} files are in the folder.")
    lines = []
    for row in rows:
        cells = [
            count(row["rows"]) if row["rows"] else DASH,
            *(html(str(row[name])) or DASH for name in ("source", "licence")),
        ]
        words = f'<td class="words">{html(str(row["state"]))}</td>'
        lines.append(
            f'<tr><td class="words">{html(row["file"])}</td>{"".join(f"<td>{cell}</td>" for cell in cells)}{words}</tr>'
        )
    sheet("<th class='words'>File</th><th>Rows</th><th>From</th><th>Licence</th><th class='words'>State</th>", lines)
    st.button("Score on them", key="fetch.use", on_click=_use, args=(folder,), disabled=not here)


def _use(folder: str) -> None:
    """Name the folder in the sections of the suites that read these sets."""
    from workbench.evaluation import METHODS

    for name, suite in METHODS.items():
        if "fetched" in suite.tags:
            st.session_state[name] = folder
            st.session_state["suites"] = [*dict.fromkeys([*st.session_state.get("suites", []), name])]
