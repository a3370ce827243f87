"""Questions about what a language model may be pretrained on."""

from workbench.core.config import Corpus
from workbench.jobs.launch import absolute_corpus
from workbench.jobs.questions.question import Question
from workbench.jobs.targets import mark


def articles(question: Question, *, corpus: str, backbone: str = "mini-mlm") -> None:
    """Plain dict: what the files hold, and what the backbone's vocabulary makes of them, see jobs.articles.counted."""
    question.target(backbone, encoder="it has no sub-words")
    question.say(corpus=absolute_corpus(corpus))
    question.depends.append([mark(path) for path in Corpus(question.arguments["corpus"]).files])
    question.lane = "slow"
