"""Questions about what a language model may be pretrained on."""

from workbench.core.config import Corpus
from workbench.data.references import absolute_corpus, file_stamps
from workbench.verbs.questions.question import Question


def articles(question: Question, *, corpus: str, backbone: str = "mini-mlm") -> None:
    """Plain dict: what the files hold, and what the backbone's vocabulary makes of them, see pretraining.articles.counted."""
    question.target(backbone, encoder="it has no sub-words")
    question.say(corpus=absolute_corpus(corpus))
    question.depends.append([file_stamps(path) for path in Corpus(question.arguments["corpus"]).files])
    question.lane = "slow"
