"""The numbers of a step, computed here with two encoders instead of the shipped ones."""

from typing import Any

import streamlit as st

from workbench.core import presets
from workbench.ui.kit.address import choose
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.folders import target_inside
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.targets.choice import option_names, say_older_runs, usable_runs
from workbench.ui.targets.names import BACKBONES, target_name
from workbench.verbs import lesson as verb

ASKED = "lesson.computed"
"""Session key: the steps that are to be computed here."""


def pick_encoders() -> tuple[str, str]:
    """The encoder before training, and the one after: by default that of the newest run."""
    runs, names = [run.id for run in usable_runs()], option_names()

    def shown(target: str) -> str:
        return _name(target) if target in BACKBONES else names(target)

    left, right = st.columns(2, gap="medium")
    with left:
        before = choose(
            "Before",
            [*BACKBONES, *(f"{run}@step0" for run in runs[:1])],
            key="before",
            start=presets.TARGET,
            shown=shown,
            typed=True,
        )
    with right:
        after = choose(
            "After",
            [*runs, *BACKBONES],
            key="after",
            start=runs[0] if runs else BACKBONES[0],
            shown=shown,
            typed=True,
            help="A run in this folder (its kept checkpoint), or another encoder.",
        )
        say_older_runs()
    return target_inside(before), target_inside(after)


def _name(target: str) -> str:
    """The display name, for a shipped encoder its bare one: here “before fine-tuning” would stand below “After” too."""
    return target if target in BACKBONES else target_name(target)


def ask_steps(before: str, after: str) -> "dict[str, Question[verb.StepNumbers]]":
    """A question for each step that is to be computed here."""
    return {
        step: ask(verb.VERB, slot=f"lesson.{step}", step=step, before=before, after=after)
        for step in st.session_state.get(ASKED, [])
    }


def answered(questions: "dict[str, Question[verb.StepNumbers]]") -> dict[str, Any]:
    """What the lesson shows in place of the shipped numbers, by step."""
    return {
        step: {
            "numbers": question.there.numbers,
            "before": _name(question.there.before),
            "after": _name(question.there.after),
        }
        for step, question in questions.items()
        if question.answer.state == "done"
    }


def unanswered(questions: "dict[str, Question[verb.StepNumbers]]") -> list[str]:
    """The steps that are still being computed."""
    return [step for step, question in questions.items() if not question.answer.over]


def show_progress(questions: "dict[str, Question[verb.StepNumbers]]", step: str, before: str, after: str) -> None:
    """What is being computed, and the line that computes the step elsewhere."""
    if questions:
        when_answered(list(questions.values()), _done, partial=True, height=40)
    else:
        quiet("“Compute it here” below a finding computes its step with these two in place of the shipped numbers.")
    repeat(python_call("lesson", step, before=before, after=after))


def _done() -> None:
    quiet("Computed with these two encoders: the figure above shows it.")
