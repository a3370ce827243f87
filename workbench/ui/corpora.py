"""The report on a corpus, before training and beside a run."""

from typing import Any

import streamlit as st

from workbench.ui.notices import facts, quiet
from workbench.ui.words import count, figure, listed, plain, share


def show_corpus_report(report: dict[str, Any]) -> None:
    """Figures, warnings and what they rest on; an empty report says so."""
    if not report:
        quiet("There is no corpus report yet: it is written before the first step.")
        return
    tokens, copies = report["tokens"], report["copies"]
    quantiles = tokens["quantiles"]
    facts(
        {
            "Texts": count(report["texts"]),
            "Tokens in a text": figure(tokens["mean"], 1),
            "Cut at the limit": share(tokens["truncated"]),
            "Unknown tokens": share(tokens["unknown"]),
            "Exact copies": count(copies["exact"]["copies"]),
            "Near copies": count(copies["near"]["texts"]),
            "False negatives": figure(copies["near"]["false_negatives"]),
        },
        {
            "Texts": f"{count(report['distinct'])} different",
            "Tokens in a text": f"median {quantiles.get('0.5', '–')}, 95 % up to {quantiles.get('0.95', '–')}",
            "Cut at the limit": f"of {report['max_length']} tokens",
            "False negatives": f"in a batch of {report['batch_size']}",
        },
    )
    for warning in report["warnings"]:
        st.warning(plain(warning))
    if report.get("trained_on_test"):
        st.badge("trained on test texts", color="red")
    overlaps = [f"{one['name']}: {count(one['common'])} of {count(one['sentences'])}" for one in report["overlap"]]
    if overlaps:
        quiet(f"Evaluation sentences that stand in the corpus: {listed(overlaps, 12)}.")
