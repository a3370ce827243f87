"""Likely reasons why a training did not help, from what its run recorded."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from workbench.data.common_words import CommonWords
from workbench.data.report import mean_count
from workbench.models.cards import card
from workbench.preflight.training_warnings import NEAR_SHARE, tuned
from workbench.store.run import Run

RATE = 3.0
"""A learning rate that is this many times that of the backbone's card, or a part of it as small, is named."""
FEW_STEPS = 50
MOVED = 0.05
"""A smaller change of the mean cosine is none."""
CONE = 0.1
"""Below this mean cosine of random pairs there is no cone that could open."""


class Reason(NamedTuple):
    """A likely reason."""

    kind: str
    """One of collapse, rate, copies, corpus, cone, tuned, steps."""
    text: str


def reasons(run: Run, verdict: str, common: CommonWords | None = None, pairs: str = "") -> list[Reason]:
    """The likely reasons for a `verdict` (see `shapes.Outcome`), the more certain ones first.

    `common` is what the corpus has in common with the pair set named `pairs`, if that is known.
    """
    found = [*_collapse(run), *_rate(run, verdict), *_copies(run)]
    if common and common.little:
        found.append(
            Reason(
                "corpus",
                f"The corpus is another kind of text than {pairs}: by frequency they share {100 * common.corpus:.0f} % of their "
                f"words, two halves of {pairs} {100 * common.halves:.0f} %.",
            )
        )
    found += _cone(run)
    if tuned(run.config.model.backbone):
        found.append(
            Reason(
                "tuned",
                f"{run.config.model.backbone} was tuned on sentence pairs before: one corpus often takes away more than it "
                "adds.",
            )
        )
    return found if verdict == "worse" else [*found, *_steps(run)]


def _collapse(run: Run) -> Iterator[Reason]:
    probes = run.probes
    if "collapsed" in probes and (probes["collapsed"] == True).any():  # noqa: E712 - a damaged row has no value
        step = int(probes.loc[probes["collapsed"] == True, "step"].iloc[0])  # noqa: E712
        yield Reason("collapse", f"The space collapsed: from step {step:,} all texts have nearly the same vector.")


def _rate(run: Run, verdict: str) -> Iterator[Reason]:
    config = run.config
    rate, usual = config.training.learning_rate, card(config.model.backbone, config.model.revision).learning_rate
    if rate >= RATE * usual:
        yield Reason(
            "rate",
            f"The learning rate of {rate:g} is {_times(rate / usual)} times that of the backbone's card, {usual:g}.",
        )
    elif rate * RATE <= usual and verdict != "worse":
        yield Reason(
            "rate",
            f"The learning rate of {rate:g} is {_times(usual / rate)} times below that of the backbone's card, {usual:g}: the "
            "weights hardly moved.",
        )


def _times(ratio: float) -> str:
    """A ratio of three digits, without an exponent.

    >>> _times(2.5), _times(33.333), _times(12345.6)
    ('2.5', '33.3', '12,346')
    """
    return f"{ratio:.3g}" if ratio < 999.5 else f"{ratio:,.0f}"


def _copies(run: Run) -> Iterator[Reason]:
    report: dict[str, Any] = dict(run.corpus_report)
    size = report.get("batch_size", 0)
    expected = report.get("copies", {}).get("near", {}).get("false_negatives", 0.0)
    if size and expected > NEAR_SHARE * size:
        yield Reason(
            "copies",
            f"A batch of {size:,} has {mean_count(expected / 2)} pairs of texts on average that nearly repeat each other, and "
            "the loss pushes them apart.",
        )


def _cone(run: Run) -> Iterator[Reason]:
    probes = run.probes
    known = probes["mean_cosine"].dropna() if "mean_cosine" in probes else None
    if known is None or len(known) < 2:
        return
    before, after = float(known.iloc[0]), float(known.iloc[-1])
    if after > before + MOVED:
        yield Reason(
            "cone", f"The cone narrowed: the mean cosine of random pairs rose from {before:.2f} to {after:.2f}."
        )
    elif before < CONE:
        yield Reason(
            "cone",
            f"There was no cone to open: the mean cosine of random pairs was {before:.2f} before training.",
        )


def _steps(run: Run) -> Iterator[Reason]:
    steps, rows = run.progress.step, run.config.corpus.rows
    texts = steps * run.config.training.batch_size
    if 0 < steps < FEW_STEPS and texts < rows:
        yield Reason("steps", f"It saw little: {steps:,} steps, {texts:,} of the {rows:,} rows of the corpus.")
