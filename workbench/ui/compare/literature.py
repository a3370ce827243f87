"""Published result tables, for comparison with one's own."""

import streamlit as st

from workbench.ui.kit.address import choose_button
from workbench.ui.kit.folding import folded
from workbench.ui.kit.notices import quiet

KINDS = {
    "sts": (
        "STS",
        "Spearman × 100 on test sets, mostly over all pairs of a task; a note says if a paper aggregated differently. "
        "These are full trainings of BERT-base and larger models: do not rank a short run of a MiniLM among them.",
    ),
    "transfer": (
        "Transfer",
        "Accuracy in per cent of a classifier on frozen vectors, ten folds. Full trainings of BERT-base and larger models.",
    ),
}
"""The tables by name: their title and what their numbers mean."""
TITLES = {
    "sts12": "STS12",
    "sts13": "STS13",
    "sts14": "STS14",
    "sts15": "STS15",
    "sts16": "STS16",
    "stsb": "STS-B",
    "sickr": "SICK-R",
    "subj": "SUBJ",
    "mpqa": "MPQA",
    "sst2": "SST-2",
    "trec": "TREC",
    "mrpc": "MRPC",
    "mr": "MR",
    "cr": "CR",
}
SUPERVISION = {
    "unsup": "no labels",
    "unsup-target": "no labels, texts of the tasks",
    "nli": "NLI labels",
    "nli+target": "NLI labels, texts of the tasks",
}


def published_results() -> None:
    """Published rows with their sources, in an expander."""
    part = folded("Published results", key="literature")
    if part is None:
        return
    from workbench.data.literature import TASKS, published_rows

    with part:
        kind = choose_button(
            "Tasks", list(KINDS), key="literature.tasks", start=next(iter(KINDS)), shown=lambda name: KINDS[name][0]
        )
        quiet(KINDS[kind][1])
        table = published_rows(kind)
        if "supervision" in table:
            table["supervision"] = table["supervision"].map(SUPERVISION)
        st.dataframe(
            table,
            hide_index=True,
            height=420,
            column_config={
                **{
                    name: st.column_config.NumberColumn(TITLES[name], format="%.2f", width="small")
                    for name in TASKS[kind]
                },
                "avg": st.column_config.NumberColumn("Average", format="%.2f", width="small"),
                "method": st.column_config.TextColumn("Method", pinned=True),
                "backbone": "Backbone",
                "supervision": "Trained with",
                "source": "Source",
                "note": "Note",
            },
            alt="Published results with their sources",
        )
