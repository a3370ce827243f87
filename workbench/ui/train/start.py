"""The bar that stays in sight: what the button will do, how long that takes, and the button."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from workbench import api
from workbench.core.config import Corpus, RunConfig
from workbench.core.schedule import evaluated_pairs, probed_pairs
from workbench.models.cards import EMBEDDED
from workbench.preflight.corpora import on_the_hub
from workbench.preflight.dry_run import DryRunResult
from workbench.ui.kit.asking import KnownAnswer, Question, ask, when_answered
from workbench.ui.kit.words import estimated, html
from workbench.ui.train.readiness import DRY_RUN, no_room, parts_words
from workbench.ui.train.summary import amount_words, run_sentence
from workbench.verbs import dry_run as dry_run_verb

_REFUSED = "It cannot start like this: the message below the three choices says why."


def start_bar(
    runs: Sequence[RunConfig],
    report: Question[dict[str, Any]] | KnownAnswer[dict[str, Any]],
    *,
    refused: bool,
    accept: tuple[str, ...] | None,
    dry_run: Question[DryRunResult] | None = None,
) -> int:
    """Draw it; the number of seeds to start with if a button was pressed, else 0.

    `accept` are the warnings accepted, None while some are not or the corpus cannot be read; `refused` runs cannot start.
    `dry_run` is the one that was asked for, if any.
    """
    timing = None
    if refused:
        note = _REFUSED
    elif report.answer.state == "failed":
        note = f"The corpus cannot be read. {report.answer.error}"
    elif accept is None:
        note = "Accept the warning below the three choices first."
    else:
        expected = api.expected_seconds(runs)
        timing = None if expected else dry_run or _first_dry_run(runs[0])
        note = f"{_time_words(expected, len(runs), timing)} {amount_words(runs)}"
        known = (dry_run and dry_run.result) or (timing and timing.result)
        if short := no_room(known["disk_bytes"]) if known else "":
            note = f"{short} {note}"
        note += ONE_SEED if len(runs) == 1 and not runs[0].pretrains else ""
    quiet = 'class="quiet still" role="status"' if timing and not timing.answer.over else 'class="quiet"'
    st.html(f'<p class="takeaway">{html(run_sentence(runs))}</p><p {quiet}>{html(note)}</p>')
    started = st.button("Start training", type="primary", key="start", disabled=refused or accept is None)
    several = (
        len(runs) == 1
        and not runs[0].pretrains
        and st.button(
            f"Start {SEEDS} seeds",
            key="start.seeds",
            disabled=refused or accept is None,
            help=f"This run and {SEEDS - 1} more that differ in their seed alone, one after another: {SEEDS} times as long.",
        )
    )
    if timing:
        when_answered([], lambda: None, optional=[timing])
    return SEEDS if several else len(runs) * started


SEEDS = 3
"""How many seeds are offered beside a single run: the fewest with which an interval over seeds means something."""
ONE_SEED = f" One seed cannot say whether another would rank the same; {SEEDS} give an interval over seeds."


def no_start() -> None:
    """The bar of a form that gives no run: a message above it says why."""
    st.html(f'<p class="quiet">{_REFUSED}</p>')
    st.button("Start training", type="primary", key="start", disabled=True)


def _first_dry_run(config: RunConfig) -> Question[DryRunResult] | None:
    """The dry run that estimates the time where no run like it has been here, asked for by itself where it takes seconds and
    downloads nothing: an embedded backbone, losses with numbers only, texts as they are. None for any other run.
    """
    settings = [value for term in config.terms for value in term.settings.values()]
    views = [view for term in config.terms for view in (*term.views.values(), *term.more.values())]
    simple = all(term.loss for term in config.terms) and not any(isinstance(value, str) for value in settings)
    fetched = any(map(on_the_hub, [config.corpus, *map(Corpus, [*probed_pairs(config), *evaluated_pairs(config)])]))
    small = config.model.backbone in EMBEDDED and not fetched
    if not (simple and small) or any(view.augmentation for view in views):
        return None
    return ask(dry_run_verb.VERB, slot=DRY_RUN, config=config)


def _time_words(expected: float | None, runs: int, timing: Question[DryRunResult] | None) -> str:
    """How long the runs will take, by similar runs on this machine, or by the dry run `timing` if there were none."""
    if expected:
        return f"About {estimated(expected)}."
    if timing and not timing.answer.over:
        return "Trying a few steps to estimate the time."
    if timing and timing.result:
        training, evaluation = timing.result["seconds"], timing.result["evaluation_seconds"]
        if evaluation is None:
            return f"About {estimated(runs * training)} for the steps, by a dry run; evaluation is extra."
        each = f"{parts_words(training, evaluation)}{' of each run' if runs > 1 else ''}"
        return f"About {estimated(runs * (training + evaluation))}, by a dry run: {each}."
    return "No run like it here yet: the dry run below estimates the time."
