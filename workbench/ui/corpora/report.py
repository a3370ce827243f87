"""The report on a corpus, before training and beside a run."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from workbench.core.config import RunConfig
from workbench.data.marks import GOLD, TRANSDUCTIVE, of_overlap
from workbench.recipes.fits import wanted
from workbench.ui.kit.notices import facts, quiet
from workbench.ui.kit.words import DASH, count, figure, join_names, plain, share, size

_MEANT = {
    TRANSDUCTIVE: "At least half of the sentences of these sets stand in the corpus. Scores on them say how the model does on "
    "sentences that it has seen, and bear this mark wherever they are shown.",
    GOLD: "At least half of the pairs of these sets stand in the corpus with scores, which this recipe learns. Scores on them "
    "are no test, and bear this mark wherever they are shown.",
}

_NEEDED = {"texts", "distinct", "rows", "max_length", "batch_size", "tokens", "copies"}


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
            st.badge(f"{mark}: {join_names(flagged, 12)}", color="red", help=meant)
    if report.get("trained_on_test") and not any(marked.values()):
        st.badge("trained on test texts", color="red")
    overlaps = [f"{one['name']}: {count(one['common'])} of {count(one['sentences'])}" for one in overlap]
    if overlaps:
        quiet(f"Evaluation sentences that stand in the corpus: {join_names(overlaps, 12)}.")
    whole, left = divmod(report["rows"], report["batch_size"])
    if whole and left:
        quiet(
            f"A pass over the corpus is {count(whole)} {'batch' if whole == 1 else 'batches'} of {report['batch_size']}; "
            f"the {count(left)} left over come in another pass: every batch is full."
        )


def show_articles(report: Mapping[str, Any], config: RunConfig | None = None) -> None:
    """What the files hold: before a run as counted, with `config` also how often it will be read; beside a run as used."""
    words, pieces = int(report["words"]), report.get("pieces_per_word")
    tokens = report.get("tokens") or (words * pieces if pieces else None)
    unknown = _unknown(report)
    more = "" if report.get("whole", True) else "at least: counting was ended after a while"
    told = {
        "Articles": count(report["articles"]),
        "Paragraphs": count(report["paragraphs"]),
        "Words": count(words),
        "Pieces": DASH if tokens is None else count(int(tokens)),
        "Pieces a word": figure(pieces),
        "Unknown pieces": share(unknown),
    }
    notes = {"Articles": more or _held_out(report), "Pieces": "" if "tokens" in report else "judged from a sample"}
    if "size_bytes" in report:
        told["Files"] = size(report["size_bytes"])
    passes = report.get("passes")
    if config is not None and tokens:
        seen = config.training.steps * config.training.batch_size * (config.pretraining.sequence_length - 2)
        passes = seen / max(1.0, tokens * (1 - config.pretraining.validation))
    if passes:
        told["Passes over it"] = figure(passes, 1 if passes >= 1 else 2)
    facts(told, notes)
    for warning in [*report.get("warnings", ()), *_warnings(report, config, tokens, unknown)]:
        st.warning(plain(warning))
    if examples := report.get("examples"):
        quiet("It begins: " + " / ".join(f"“{text[:90]}…”" if len(text) > 90 else f"“{text}”" for text in examples[:2]))


def _held_out(report: Mapping[str, Any]) -> str:
    return f"{count(report['held_out'])} held out" if "held_out" in report else ""


def _unknown(report: Mapping[str, Any]) -> float | None:
    found = report.get("unknown")
    return found / max(1, report["tokens"]) if found is not None and "tokens" in report else found


def _warnings(
    report: Mapping[str, Any], config: RunConfig | None, tokens: float | None, unknown: float | None
) -> list[str]:
    """What is amiss with files that were only counted."""
    if config is None or "whole" not in report:
        return []
    settings, found = config.pretraining, []
    if settings.vocabulary == "keep" and unknown and unknown > 0.05:
        found.append(
            f"{share(unknown)} of the pieces are unknown to {config.model.backbone}: learn a vocabulary from the corpus, or "
            "take another backbone."
        )
    if report["articles"] < 2:
        found.append("One article cannot be split: put an empty line between articles, so that some can be held out.")
    elif report["whole"] and tokens:
        batch = config.training.batch_size * (settings.sequence_length - 2)
        if tokens < batch:
            found.append("The corpus has fewer tokens than one batch: take a smaller batch, or give more text.")
        elif tokens < 10 * batch:
            found.append("The whole corpus is read every few steps: such a model learns it by heart.")
    if settings.vocabulary == "learn" and report["whole"] and report["words"] < 20 * settings.vocabulary_size:
        found.append(f"{count(settings.vocabulary_size)} pieces are many for {count(report['words'])} words.")
    return found
