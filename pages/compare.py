"""Which of these is better, and by how much more than chance?"""

import streamlit as st

from workbench.ui.compare import (
    comparison,
    drop_absent,
    pick_pairs,
    pick_targets,
    published_results,
    show_sweeps,
    sts_table,
    transfer_table,
)
from workbench.ui.kit.address import choose_button
from workbench.ui.kit.asking import ask, when_answered
from workbench.ui.kit.folders import inside
from workbench.ui.kit.notices import empty, guarded, lede
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.theme import require_frame

require_frame()
st.title("Compare")
lede(
    "Runs beside encoders as they come. The one with its mean subtracted costs nothing, and TF-IDF needs no encoder: "
    "what training is worth starts there."
)
modes = {"targets": "Runs and encoders", "sweeps": "Sweeps"}
if choose_button("Compare", list(modes), key="compare", start="targets", shown=modes.__getitem__) == "sweeps":
    show_sweeps()
    st.stop()

with guarded():
    pick, on = st.columns([3, 1], gap="medium")
    with pick:
        targets = pick_targets()
    with on:
        pairs = pick_pairs()
    targets = drop_absent(targets)
    if not targets:
        empty("Nothing to compare yet.", "Choose runs or backbones above.")
        st.stop()

    scored = [
        ask("evaluate", slot=f"compare.{place}", target=target, pairs=pairs) for place, target in enumerate(targets)
    ]
    when_answered(scored, lambda: comparison(targets, scored, pairs), partial=True, height=420)

    st.header("STS tasks")
    folder, how = st.columns([3, 1], gap="medium")
    data = folder.text_input(
        "Folder with STS data",
        key="data",
        bind="query-params",
        placeholder="none chosen: STS12 to STS16, STS-B and SICK-R, in our layout, SentEval's, GLUE's or their own",
    )
    with how:
        shown = st.segmented_control(
            "Subsets",
            ["all", "mean", "wmean"],
            default="all",
            required=True,
            key="subsets",
            bind="query-params",
            help="all: one correlation over all pairs of a task. mean: that of its subsets, averaged. "
            "wmean: weighted by their pairs.",
        )
    if inside(data):
        tasks = [
            ask("sts", slot=f"compare.sts.{place}", target=target, data=data) for place, target in enumerate(targets)
        ]
        when_answered(tasks, lambda: sts_table(targets, tasks, shown), partial=True, height=220)
    else:
        empty(
            "No STS data chosen.",
            "Give the folder in the box. These texts are not ours to ship; the README says which files and columns are read.",
        )

    st.header("Transfer tasks")
    folder, how = st.columns([3, 1], gap="medium")
    transfer = folder.text_input(
        "Folder with transfer data",
        key="transfer",
        bind="query-params",
        placeholder="none chosen: MR, CR, SUBJ, MPQA, SST-2, TREC and MRPC, in our layout or SentEval's",
    )
    with how:
        folds = st.segmented_control(
            "Folds",
            [5, 10],
            default=5,
            required=True,
            key="folds",
            bind="query-params",
            help="10 as published, and only then an average. 5 fit fewer classifiers. Either takes minutes for each target.",
        )
    if inside(transfer):
        tasks = [
            ask("transfer", slot=f"compare.transfer.{place}", target=target, data=transfer, folds=folds)
            for place, target in enumerate(targets)
        ]
        when_answered(tasks, lambda: transfer_table(targets, tasks), partial=True, height=220)
    else:
        empty(
            "No transfer data chosen.",
            "Give the folder in the box, and a linear classifier shows what else the vectors hold: sentiment, subjectivity, "
            "kinds of questions.",
        )

    published_results()
    repeat(
        python_call("compare", targets, pairs=pairs),
        *(python_call("evaluate", target, data=data) for target in targets if data),
        *(
            python_call("evaluate", target, suite="transfer", data=transfer, folds=folds)
            for target in targets
            if transfer
        ),
    )
