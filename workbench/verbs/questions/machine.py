"""Questions about this machine, and what is fetched to it."""

from workbench.verbs.questions.question import Question


def wordnet(question: Question, *, asked: float = 0.0) -> None:
    """Plain dict `missing`: WordNet is fetched, and what still lacks. `asked` makes one request differ from the next."""
    question.say(asked=float(asked))
    question.lane = "slow"
