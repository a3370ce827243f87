"""What the evidence says, in a few sentences: every number in them is computed from the lines of docs/evidence.jsonl."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from experiments.evidence.cells import BACKBONE, Cell, Row
from experiments.evidence.claims import CORPORA, FAILS, HOLDS, OPEN, verdict
from experiments.evidence.markdown import delta, ends
from experiments.evidence.plan import REFERENCE
from experiments.evidence.scores import group_of
from experiments.evidence.summary import PLAIN, SCORED, tuned_groups
from experiments.evidence.tables import Report

DEV = "stsb_dev"
UNWEIGHTED = "mean(without=10)"
"""The pooling that leaves the ten most frequent tokens out of the mean."""


@dataclass(frozen=True)
class Finding:
    """One finding: a headline, and one or two sentences with its numbers."""

    headline: str
    text: str


def findings(report: Report) -> list[Finding]:
    """Those that the cells are there for, the most important one first."""
    return [finding for make in FINDINGS for finding in make(report)]


def gain(row: Row, *, trained: bool = True) -> str:
    """A difference in points with its 95 % interval, and the number of seeds that it rests on where something was trained.

    >>> gain({"delta": 0.127, "low": 0.1, "high": 0.154, "seeds": 5})
    '+12.7 points (10.0 to 15.4; 5 seeds)'
    """
    seeds = f"; {row['seeds']} seed{'s' * (row['seeds'] != 1)}" if trained else ""
    return f"{delta(row)} points ({ends(row)}{seeds})"


def corpus_decides(report: Report) -> Iterator[Finding]:
    """How many recipes gain on either corpus, and how SimCSE does."""
    counts = []
    for backbone in report.scores.backbones:
        inside, outside = (_verdicts(report, backbone, corpus) for corpus in CORPORA)
        if inside and outside:
            counts.append(
                f"{inside.count(HOLDS)} of {len(inside)} unsupervised recipes raise `{backbone}` when they train on STS-B's own "
                f"training texts, and {outside.count(HOLDS)} of {len(outside)} on sentences of Wikipedia "
                f"({outside.count(FAILS)} lower it)"
            )
    groups = [report.scores.tuned_group(BACKBONE, "mean", corpus, REFERENCE) for corpus in CORPORA]
    rows = [report.differences.get((group, "backbone", name)) for name in (DEV, "sts") for group in groups]
    if counts and all(rows):
        on_inside, on_outside, inside_sts, outside_sts = (gain(row) for row in rows if row)
        yield Finding(
            "The training texts decide more than the recipe does",
            f"{'; '.join(counts)}. `{REFERENCE}` moves `{BACKBONE}` by {on_inside} on the former texts and by {on_outside} on "
            f"the latter, and the mean of STS12, 14 and 15, not used to choose, by {inside_sts} and {outside_sts}.",
        )


def few_beat_simcse(report: Report) -> Iterator[Finding]:
    """How many recipes are better than SimCSE at equal steps and at equal seconds, and which is the best."""
    parts = []
    for backbone in report.scores.backbones:
        by_budget = {
            budget: ranked_against_reference(report, backbone, "in_domain", budget) for budget in ("steps", "seconds")
        }
        if not all(by_budget.values()):
            continue
        name, best = by_budget["steps"][0]
        steps, seconds = ([verdict(row["low"], row["high"]) for _, row in ranked] for ranked in by_budget.values())
        parts.append(
            f"on `{backbone}`, {steps.count(HOLDS)} of {len(steps)} recipes are better than `{REFERENCE}` at equal steps and "
            f"{steps.count(FAILS)} worse (at equal processor time {seconds.count(HOLDS)} of {len(seconds)} better); the largest "
            f"gain is that of `{name}`, {gain(best)}"
        )
    if parts:
        yield Finding(
            "Few unsupervised recipes beat SimCSE, and by little",
            f"Trained on STS-B's texts at tuned rates: {'; '.join(parts)}.",
        )


def labels_win(report: Report) -> Iterator[Finding]:
    """What gold scores and NLI labels bring over SimCSE."""
    scored = ranked_against_reference(report, BACKBONE, "in_domain", kind=SCORED)
    labelled = ranked_against_reference(report, BACKBONE, "nli")
    if scored and labelled:
        (best, of_best), (good, of_good), (bad, of_bad) = scored[0], labelled[0], labelled[-1]
        yield Finding(
            "Labels help more than changes to the unsupervised loss, but not with every loss",
            f"On `{BACKBONE}`, over `{REFERENCE}` trained on STS-B's texts without labels: `{best}` on the same texts with their "
            f"gold scores gains {gain(of_best)}, and `{good}` on NLI gains {gain(of_good)}. `{bad}` on NLI is at {gain(of_bad)} "
            "after as many steps.",
        )


def pooling_alone(report: Report) -> Iterator[Finding]:
    """What leaving frequent tokens out of the mean, and whitening, do without training."""
    parts = []
    for backbone in report.scores.backbones:
        groups = [_untrained("baseline", "backbone", UNWEIGHTED, corpus, backbone) for corpus in CORPORA]
        rows = [row for group in groups if (row := report.differences.get((group, "backbone", DEV)))]
        if len(rows) == len(CORPORA):
            inside, outside = (gain(row, trained=False) for row in rows)
            parts.append(
                f"`{backbone}` gains {inside} with tokens counted over STS-B's training texts and {outside} over Wikipedia"
            )
    groups = [_untrained("transform", "whitening", "mean", corpus, BACKBONE) for corpus in CORPORA]
    white = [row for group in groups if (row := report.differences.get((group, "backbone", DEV)))]
    if parts and len(white) == len(CORPORA):
        inside, outside = (gain(row, trained=False) for row in white)
        yield Finding(
            "Much of the gain needs no training",
            f"With the ten most frequent tokens left out of the mean, {', and '.join(parts)}. Whitening depends on its texts "
            f"as training does: it brings `{BACKBONE}` {inside} fitted on STS-B's training texts, {outside} on Wikipedia's "
            "sentences.",
        )


def uniformity_is_not_ranking(report: Report) -> Iterator[Finding]:
    """How many recipes made the vectors more uniform and yet rank worse than the backbone."""
    parts, example = [], ""
    for backbone in report.scores.backbones:
        group = _untrained("baseline", "backbone", "mean", "", backbone)
        trained = tuned_groups(report.scores, backbone, "mean", "steps", "general", PLAIN)
        if group not in report.scores.groups or not trained:
            continue
        before = report.scores.first(group)["uniformity"]
        uniform = [name for name in trained if _mean(report, name, "uniformity") < before]
        rows = {name: row for name in uniform if (row := report.differences.get((name, "backbone", DEV)))}
        worse = [name for name, row in rows.items() if row["high"] < 0]
        parts.append(
            f"{len(uniform)} of {len(trained)} recipes make `{backbone}` more uniform, and {len(worse)} of those "
            "rank worse than it does untrained"
        )
        reference = report.scores.tuned_group(backbone, "mean", "general", REFERENCE)
        if reference in worse and not example:
            after = _mean(report, reference, "uniformity")
            example = (
                f" `{REFERENCE}` takes the uniformity of `{backbone}` from {before:.2f} to {after:.2f} and its ranking down: "
                f"{gain(rows[reference])}."
            )
    if parts:
        yield Finding(
            "Better uniformity does not mean a better ranking",
            f"Trained on Wikipedia's sentences, {'; '.join(parts)}.{example}",
        )


def claims_and_order(report: Report) -> Iterator[Finding]:
    """Which published effects do not appear, and how many published orders are reversed."""
    lines = {
        (line["claim"], line["backbone"], line["corpus"]): line
        for line in report.lines
        if "claim" in line and line.get("set") == DEV
    }
    parts = []
    for backbone in report.scores.backbones:
        present: list[str] = []
        absent: list[str] = []
        for claim, words in EFFECTS.items():
            rows = [row for corpus in CORPORA if (row := lines.get((claim, backbone, corpus)))]
            if len(rows) == len(CORPORA) and all(row["verdict"] != OPEN for row in rows):
                inside, outside = (f"{delta(row)} ({ends(row)})" for row in rows)
                text = f"{words}: {inside} on STS-B's texts, {outside} on Wikipedia"
                (present if any(row["verdict"] == HOLDS for row in rows) else absent).append(text)
        if absent:
            seeds = min(line["seeds"] for key, line in lines.items() if key[0] in EFFECTS and key[1] == backbone)
            parts.append(
                f"On `{backbone}` ({seeds} seeds, points) no gain came from {'; nor from '.join(absent)}"
                + (f". Gains did come from {'; and from '.join(present)}" if present else "")
            )
    order = report.order_counts()
    if parts and order:
        yield Finding(
            "Several published effects do not appear here",
            f"{'. '.join(parts)}. Of {order.compared} comparisons of two recipes with a published order, {order.kept} come "
            f"out as published, {order.turned} the other way round, and {order.undecided} cannot be told apart; the published "
            "scores are mostly of BERT-base and longer trainings, so this refutes none of them.",
        )


EFFECTS = {
    "dropout_over_eda": "dropout alone over EDA's word edits",
    "una_every": "UNA's augmented rows in every fifth batch rather than in every batch",
    "margin": "ArcCSE's margin of 10 degrees",
    "shuffle_cutoff": "ConSERT's token shuffling and cutoff with dropout off",
}
"""The claims that the sentence names; the table has all of them."""

FINDINGS = (corpus_decides, few_beat_simcse, labels_win, pooling_alone, uniformity_is_not_ranking, claims_and_order)


def ranked_against_reference(
    report: Report, backbone: str, corpus: str, budget: str = "steps", kind: str = PLAIN
) -> list[tuple[str, Row]]:
    """The recipes at their tuned rates with their differences over SimCSE, the best first; several seeds alone."""
    groups = tuned_groups(report.scores, backbone, "mean", budget, corpus, kind)
    rows = [(report.scores.first(group)["name"], report.differences.get((group, "yardstick", DEV))) for group in groups]
    held = [(name, row) for name, row in rows if row is not None and row["seeds"] > 1]
    return sorted(held, key=lambda pair: -float(pair[1]["delta"]))


def _verdicts(report: Report, backbone: str, corpus: str) -> list[str]:
    """Of each unsupervised recipe at its tuned rate: whether it is better than the backbone."""
    groups = tuned_groups(report.scores, backbone, "mean", "steps", corpus, PLAIN)
    rows = [report.differences.get((group, "backbone", DEV)) for group in groups]
    return [verdict(row["low"], row["high"]) for row in rows if row]


def _untrained(kind: str, name: str, pooling: str, corpus: str, backbone: str) -> str:
    return group_of(Cell(kind, name, pooling, corpus, "", backbone=backbone).id)


def _mean(report: Report, group: str, figure: str) -> float:
    return float(np.mean([cell[figure] for cell in report.scores.groups[group].values() if cell[figure] is not None]))
