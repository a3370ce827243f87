"""The section Report: what the page compares, as files that can be handed in."""

import json
from collections.abc import Mapping, Sequence

import streamlit as st

from workbench.core import presets
from workbench.data.references import set_name
from workbench.report.files import HTML, zipped
from workbench.report.numbers import file_name, moment, times
from workbench.store.archive import PATHS_SAID
from workbench.store.names import runs_folder
from workbench.store.openings import openings
from workbench.targets.target import parse
from workbench.ui.compare.against import baseline_first
from workbench.ui.compare.by_group import WITHIN
from workbench.ui.kit.asking import ask, when_answered
from workbench.ui.kit.figures import takeaway
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.repeat import python_call
from workbench.ui.kit.score_notes import pairs_name
from workbench.ui.kit.words import size
from workbench.verbs import report
from workbench.verbs.report import Reported, runs_of

ASKED = "report.asked"
"""Session key of the request that was made last, as JSON."""


def show_report(targets: Sequence[str], pairs: str, suites: Mapping[str, Mapping[str, object]]) -> str:
    """A question, a switch, a button, and once the report is written its files. Returns the Python line that writes it."""
    st.header("Report")
    quiet(
        "All of the above as one HTML file that opens without a network; a zip adds Markdown, tables as CSV and Parquet, and "
        "figures for print. The baseline and the groups are those chosen above."
        + (" It has no groups by slices, which are on this page alone." if _by() == "slice" else "")
    )
    if known := openings(runs_folder(), set_name(pairs)):
        quiet(
            f"{set_name(pairs)} is a test set: scores on it were computed {times(len(known))} in this runs folder, first "
            f"{moment(known[0]['time'])}. The report says whether all runs had ended by then."
        )
    question = st.text_input(
        "Question",
        key="report.question",
        placeholder=f"Which method is better on {pairs_name(pairs)}, by more than chance?",
        max_chars=500,
        persist_state="session",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        texts = not st.toggle(
            "Leave all texts out",
            key="report.without",
            persist_state="session",
            help="None of the files then contains a sentence of a data set or corpus.",
        )
        weights = texts and _with_weights(targets)
        wanted = st.button("Write the report", key="report.write", icon=":material/description:")
    given = _given(targets, pairs, suites, question, texts) | ({"weights": True} if weights else {})
    written = json.dumps(given, sort_keys=True)
    if wanted:
        st.session_state[ASKED] = written
    if st.session_state.get(ASKED) == written:
        asked = ask(report.VERB, slot="compare.report", doing=report.VERB.doing, **given)
        when_answered([asked], lambda: _files(asked.there, question or "report"), height=160)
    elif ASKED in st.session_state:
        quiet("The report was requested for other choices than those above. Restore them to see it, or write another.")
    return python_call("report", given.pop("targets"), out="report", **given)


def _with_weights(targets: Sequence[str]) -> bool:
    """Whether the zip has the weights of the runs, if there are any: how large they are is said beside the switch."""
    folder = runs_folder()
    runs = runs_of([parse(target, folder) for target in targets])
    large = sum(run.size_bytes["total"] for run in runs)
    if not runs:
        return False
    return st.toggle(
        f"Weights in the zip ({size(large)})",
        key="report.weights",
        persist_state="session",
        help="The zip has the runs, which can be imported elsewhere. With weights they encode and are compared there as here; "
        f"without, their scores, curves and settings can be looked at. {PATHS_SAID}",
    )


def _by() -> str:
    """What the differences above are grouped by."""
    return str(st.session_state.get(WITHIN) or "")


def _given(
    targets: Sequence[str], pairs: str, suites: Mapping[str, Mapping[str, object]], question: str, texts: bool
) -> dict[str, object]:
    """The fields of the request; the baseline comes first."""
    found: dict[str, object] = {"targets": baseline_first(targets), "pairs": pairs}
    by = _by()
    usual = suites.get(presets.SUITE) or next(iter(suites.values()), {})
    found |= {name: usual[name] for name in ("suite", "data") if name in usual}
    found |= {"by": by} if by and by in report.BY else {}
    found |= {"question": question} if question else {}
    return found if texts else {**found, "texts": False}


def _files(reported: Reported, name: str) -> None:
    """The verdict, and buttons that download the file and the zip."""
    takeaway(reported.headline)
    files = reported.files.set_index("name")["content"]
    stem = file_name(name)
    with st.container(horizontal=True):
        st.download_button(
            f"The report, one HTML file ({size(len(files[HTML]))})",
            files[HTML],
            file_name=f"{stem}.html",
            mime="text/html",
            icon=":material/download:",
            key="report.html",
            on_click="ignore",
        )
        st.download_button(
            "Everything (zip)",
            lambda: zipped(reported.files, stem),
            file_name=f"{stem}.zip",
            mime="application/zip",
            icon=":material/folder_zip:",
            key="report.zip",
            on_click="ignore",
        )
