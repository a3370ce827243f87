"""The report on a corpus, before training and on the page of a run."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from workbench.core.config import RunConfig
from workbench.data.dropped import notices_of
from workbench.data.marks import GOLD, TRANSDUCTIVE, of_overlap
from workbench.recipes.fits import wanted
from workbench.ui.kit.notices import facts, quiet
from workbench.ui.kit.words import DASH, count, figure, join_names, plain, share, size

_MEANT = {
    TRANSDUCTIVE: "At least half of the sentences of these sets occur in the corpus. Scores on them measure sentences that the "
    "model has seen, and carry this mark wherever they are shown.",
    GOLD: "At least half of the pairs of these sets occur in the corpus with their scores, which this recipe learns. Scores on "
    "them do not count as a test, and carry this mark wherever they are shown.",
}

_NEEDED = {"texts", "distinct", "rows", "max_length", "batch_size", "tokens", "copies"}


def is_damaged(report: Mapping[str, Any]) -> bool:
    """Whether a report lacks figures that every one has; one that was never written does not."""
    return bool(report) and report.get("kind") != "articles" and bool(_NEEDED - report.keys())


def show_corpus_report(report: dict[str, Any], config: RunConfig | None = None, shown: str = "") -> None:
    """Figures, warnings and their basis; an empty report says so. `config` is a run that has not started yet, `shown` a warning
    that the page has already shown.
    """
    if not report:
        quiet("No corpus report yet: it is written after the first step.")
        return
    if report.get("kind") == "articles":
        show_articles(report, config)
        return
    if is_damaged(report):
        quiet("The corpus report is damaged. A clone of the run writes a new one.")
        return
    tokens, copies = report["tokens"], report["copies"]
    quantiles, sampled = tokens["quantiles"], report.get("sampled", report["texts"])
    facts(
        {
            "Texts": count(report["texts"]),
            "Tokens per text": figure(tokens["mean"], 1),
            "Truncated": share(tokens["truncated"]),
            "Unknown tokens": share(tokens["unknown"]),
            "Exact copies": count(copies["exact"]["copies"]),
            "Near copies": count(copies["near"]["texts"]),
            "False negatives": figure(copies["near"]["false_negatives"]),
        },
        {
            "Texts": f"the other figures are of {count(sampled)} drawn at random"
            if sampled < report["texts"]
            else f"{count(report['distinct'])} different",
            "Tokens per text": f"median {_length(quantiles.get('0.5'))}, 95 % up to {_length(quantiles.get('0.95'))}",
            "Truncated": f"at {report['max_length']} tokens",
            "False negatives": f"in a batch of {report['batch_size']}",
        },
    )
    for notice in notices_of(report.get("name", "The corpus"), report.get("notices", ()), report.get("dropped", ())):
        quiet(notice)
    for warning in report.get("warnings", ()):
        if warning != shown:
            st.warning(plain(warning))
    learns = config is None or "gold" in wanted(config.terms)[1]
    overlap = report.get("overlap", ())
    marked = {row["name"]: of_overlap(row if learns else {**row, "pairs_with_gold": 0}) for row in overlap}
    for mark, meant in _MEANT.items():
        if flagged := [name for name, its_mark in marked.items() if its_mark == mark]:
            st.badge(f"{mark}: {join_names(flagged, 12)}", color="red", help=meant)
    if report.get("trained_on_test") and not any(marked.values()):
        st.badge("trained on test texts", color="red")
    overlaps = [f"{row['name']}: {count(row['common'])} of {count(row['sentences'])}" for row in overlap]
    if overlaps:
        quiet(f"Evaluation sentences that occur in the corpus: {join_names(overlaps, 12)}.")
    whole, left = divmod(report["rows"], report["batch_size"])
    if whole and left:
        quiet(
            f"An epoch is {count(whole)} {'batch' if whole == 1 else 'batches'} of {report['batch_size']}; the "
            f"remaining {count(left)} move to another epoch, since every batch is full."
        )


def _length(tokens: float | None) -> str:
    """A length in tokens; a median may lie between two.

    >>> _length(517.5), _length(25.0), _length(None)
    ('517.5', '25', '–')
    """
    return "–" if tokens is None else f"{tokens:,.10g}"


def show_articles(report: Mapping[str, Any], config: RunConfig | None = None) -> None:
    """What the files hold: before a run as counted, with `config` also the number of epochs; next to a run as used."""
    words, pieces = int(report["words"]), report.get("pieces_per_word")
    tokens = report.get("tokens") or (words * pieces if pieces else None)
    unknown = _unknown(report)
    more = "" if report.get("whole", True) else "at least: counting stopped early"
    shown = {
        "Articles": count(report["articles"]),
        "Paragraphs": count(report["paragraphs"]),
        "Words": count(words),
        "Pieces": DASH if tokens is None else count(int(tokens)),
        "Pieces per word": figure(pieces),
        "Unknown pieces": share(unknown),
    }
    notes = {"Articles": more or _held_out(report), "Pieces": "" if "tokens" in report else "estimated from a sample"}
    if "size_bytes" in report:
        shown["Files"] = size(report["size_bytes"])
    passes = report.get("passes")
    if config is not None and tokens:
        seen = config.training.steps * config.training.batch_size * (config.pretraining.sequence_length - 2)
        passes = seen / max(1.0, tokens * (1 - config.pretraining.validation))
    if passes:
        shown["Epochs"] = figure(passes, 1 if passes >= 1 else 2)
    facts(shown, notes)
    for warning in [*report.get("warnings", ()), *_warnings(report, config, tokens, unknown)]:
        st.warning(plain(warning))
    if examples := report.get("examples"):
        quiet("Beginning: " + " / ".join(f"“{text[:90]}…”" if len(text) > 90 else f"“{text}”" for text in examples[:2]))


def _held_out(report: Mapping[str, Any]) -> str:
    return f"{count(report['held_out'])} kept for validation" if "held_out" in report else ""


def _unknown(report: Mapping[str, Any]) -> float | None:
    found = report.get("unknown")
    return found / max(1, report["tokens"]) if found is not None and "tokens" in report else found


def _warnings(
    report: Mapping[str, Any], config: RunConfig | None, tokens: float | None, unknown: float | None
) -> list[str]:
    """Problems of files that have only been counted."""
    if config is None or "whole" not in report:
        return []
    settings, found = config.pretraining, []
    if settings.vocabulary == "keep" and unknown and unknown > 0.05:
        found.append(
            f"{share(unknown)} of the pieces are unknown to {config.model.backbone}. Learn a vocabulary from the corpus, or use "
            "another backbone."
        )
    if report["articles"] < 2:
        found.append(
            "A single article cannot be split. Put an empty line between articles, so that some can be kept for validation."
        )
    elif report["whole"] and tokens:
        batch = config.training.batch_size * (settings.sequence_length - 2)
        if tokens < batch:
            found.append("The corpus has fewer tokens than one batch. Use a smaller batch, or more text.")
        elif tokens < 10 * batch:
            found.append("The whole corpus is read every few steps, so the model will memorise it.")
    if settings.vocabulary == "learn" and report["whole"] and report["words"] < 20 * settings.vocabulary_size:
        found.append(f"{count(settings.vocabulary_size)} pieces are too many for {count(report['words'])} words.")
    return found
