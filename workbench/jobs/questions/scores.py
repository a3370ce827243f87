"""Questions about how well a model does on scored pairs."""

from pathlib import Path
from typing import Any

from workbench.core.errors import BadData
from workbench.jobs.launch import absolute_path
from workbench.jobs.questions.question import Question
from workbench.jobs.targets import mark

SAID = "sentences seen"
"""What is said beside scores: an answer kept from a version that did not is no answer to the same question."""


def evaluate(question: Question, *, target: Any = "minilm-l3", pairs: str = "demo:dev") -> None:
    """dict with `scores` (plain dict) and `cosines` (DataFrame)."""
    question.target(target)
    question.pairs(pairs)
    question.depends.append(SAID)


def sts(question: Question, *, target: Any = "minilm-l3", data: str | Path = "") -> None:
    """DataFrame of the STS tasks that are present in a folder."""
    if not str(data):
        raise BadData("The STS suite needs a folder.", way_out="Name it with --data, or data=...")
    question.target(target)
    question.say(data=absolute_path(str(data)))
    question.depends.append([mark(question.arguments["data"]), SAID])
    question.lane = "slow"
