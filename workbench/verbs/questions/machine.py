"""Questions about this machine, and what is fetched to it."""

from typing import Any

from workbench.verbs.questions.question import Question


def precision(question: Question, *, target: Any = "minilm-l3") -> None:
    """Plain dict precision, device: what `auto` means on this machine."""
    question.target(target, encoder="it computes in one precision")


def wordnet(question: Question, *, asked: float = 0.0) -> None:
    """Plain dict `missing`: WordNet is fetched, and what still lacks. `asked` makes one request differ from the next."""
    question.say(asked=float(asked))
    question.lane = "slow"
