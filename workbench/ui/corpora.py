"""The report on a corpus, before training and beside a run."""

from typing import Any

import streamlit as st

from workbench.core.config import RunConfig
from workbench.data.marks import GOLD, TRANSDUCTIVE, of_overlap
from workbench.objectives import apart
from workbench.recipes.fits import wanted
from workbench.ui.asking import Question, ask
from workbench.ui.notices import facts, quiet
from workbench.ui.pretraining import show_articles
from workbench.ui.words import count, figure, listed, plain, share

_MEANT = {
    TRANSDUCTIVE: "At least half of the sentences of these sets stand in the corpus. Scores on them say how the model does on "
    "sentences that it has seen, and bear this mark wherever they are shown.",
    GOLD: "At least half of the pairs of these sets stand in the corpus with scores, which this recipe learns. Scores on them "
    "are no test, and bear this mark wherever they are shown.",
}

_NEEDED = {"texts", "distinct", "rows", "max_length", "batch_size", "tokens", "copies"}


def corpus_question(config: RunConfig) -> Question:
    """The report on the corpus of a run that is being put together."""
    if config.pretrains:
        return ask("articles", slot="train.corpus", corpus=config.corpus.source, backbone=config.model.backbone)
    return ask(
        "corpus_report",
        slot="train.corpus",
        corpus=config.corpus.source,
        backbone=config.model.backbone,
        max_length=config.training.max_length,
        batch_size=config.training.batch_size,
        apart=apart(config.terms),
        dedup_batch=config.training.dedup_batch,
        pairs=list(config.evaluation.pairs),
    )


def show_corpus_report(report: dict[str, Any], config: RunConfig | None = None) -> None:
    """Figures, warnings and what they rest on; an empty report says so. `config` is a run that is to be."""
    if not report:
        quiet("There is no corpus report yet: it is written before the first step.")
        return
    if report.get("kind") == "articles":
        show_articles(report, config)
        return
    if _NEEDED - report.keys():
        quiet("The corpus report is damaged: Clone the run and start it again to have it made anew.")
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
    for warning in report.get("warnings", ()):
        st.warning(plain(warning))
    learns = config is None or "gold" in wanted(config.terms)[1]
    overlap = report.get("overlap", ())
    marked = {one["name"]: of_overlap(one if learns else {**one, "pairs_with_gold": 0}) for one in overlap}
    for mark, meant in _MEANT.items():
        if flagged := [name for name, own in marked.items() if own == mark]:
            st.badge(f"{mark}: {listed(flagged, 12)}", color="red", help=meant)
    if report.get("trained_on_test") and not any(marked.values()):
        st.badge("trained on test texts", color="red")
    overlaps = [f"{one['name']}: {count(one['common'])} of {count(one['sentences'])}" for one in overlap]
    if overlaps:
        quiet(f"Evaluation sentences that stand in the corpus: {listed(overlaps, 12)}.")
    whole, left = divmod(report["rows"], report["batch_size"])
    if whole and left:
        quiet(
            f"A pass over the corpus is {count(whole)} {'batch' if whole == 1 else 'batches'} of {report['batch_size']}; "
            f"the {count(left)} left over come in another pass: every batch is full."
        )
