"""Questions about how well a model does: on scored pairs, and by the suites."""

from pathlib import Path
from typing import Any

from workbench.core.errors import BadData
from workbench.data.references import absolute_path, file_stamps
from workbench.verbs.questions.question import Question

SAID = "sentences seen"
"""What is said beside scores: an answer kept from a version that did not is no answer to the same question."""


def evaluate(question: Question, *, target: Any = "minilm-l3", pairs: str = "demo:dev") -> None:
    """dict with `scores` (plain dict) and `cosines` (DataFrame)."""
    question.target(target)
    question.pairs(pairs)
    question.depends.append(SAID)


def sts(question: Question, *, target: Any = "minilm-l3", data: str | Path = "") -> None:
    """DataFrame of the STS tasks that are present in a folder."""
    _of_folder(question, target, data, "STS")


def transfer(question: Question, *, target: Any = "minilm-l3", data: str | Path = "", folds: int = 10) -> None:
    """DataFrame of the transfer tasks that are present in a folder."""
    from workbench.evaluation.transfer import METHOD

    _of_folder(question, target, data, "transfer")
    question.say(**METHOD.check({"folds": folds}))


def _of_folder(question: Question, target: Any, data: str | Path, suite: str) -> None:
    if not str(data):
        raise BadData(f"The {suite} suite needs a folder.", way_out="Name it with --data, or data=...")
    question.target(target)
    question.say(data=absolute_path(str(data)))
    question.depends.append([file_stamps(question.arguments["data"]), SAID])
    question.lane = "slow"
