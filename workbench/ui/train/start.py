"""The bar that stays in sight: what the button will do, how long that takes, and the button."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from workbench.core.config import RunConfig
from workbench.ui.kit.asking import KnownAnswer, Question
from workbench.ui.kit.words import html
from workbench.ui.train.summary import amount_words, estimate_words, run_sentence

_REFUSED = "It cannot start like this: the message above says why."


def start_bar(
    runs: Sequence[RunConfig],
    report: Question[dict[str, Any]] | KnownAnswer[dict[str, Any]],
    *,
    refused: bool,
    accept: tuple[str, ...] | None,
) -> bool:
    """Draw it; True if the button was pressed.

    `accept` are the warnings accepted, None while some are not or the corpus cannot be read; `refused` runs cannot start.
    """
    if refused:
        note = _REFUSED
    elif report.answer.state == "failed":
        note = "The corpus cannot be read: see “The corpus” below."
    elif accept is None:
        note = "The warning above comes first."
    else:
        note = f"{estimate_words(runs)} {amount_words(runs)}"
    st.html(f'<p class="takeaway">{html(run_sentence(runs))}</p><p class="quiet">{html(note)}</p>')
    return st.button("Start training", type="primary", key="start", disabled=refused or accept is None)


def no_start() -> None:
    """The bar of a form that gives no run: a message above it says why."""
    st.html(f'<p class="quiet">{_REFUSED}</p>')
    st.button("Start training", type="primary", key="start", disabled=True)
