"""Questions about some texts and what a model makes of them."""

from collections.abc import Sequence
from typing import Any

from workbench.core.errors import BadSetting, unknown
from workbench.jobs.questions.question import Question, rate, whole


def encode(question: Question, *, texts: Sequence[str], target: Any = "minilm-l3", precision: str = "fp32") -> None:
    """float32 array (n, d)."""
    if precision not in ("auto", "fp32", "bf16"):
        raise BadSetting(f"precision cannot be {precision!r}.", rule="It is auto, fp32 or bf16.")
    question.texts(texts, least=0)
    question.target(target)
    question.say(precision=precision)


def dropout_views(
    question: Question,
    *,
    texts: Sequence[str],
    target: Any = "minilm-l3",
    views: int = 8,
    dropout: float = 0.1,
    seed: int = 0,
) -> None:
    """float32 array (n, views, d)."""
    question.texts(texts)
    question.target(target, encoder="it has no dropout")
    question.say(views=whole("views", views, 1, 200), dropout=rate(dropout), seed=int(seed))


def project(
    question: Question,
    *,
    texts: Sequence[str],
    target: Any = "minilm-l3",
    method: str = "pca",
    views: int = 0,
    dropout: float = 0.1,
    neighbours: int = 15,
    seed: int = 0,
) -> None:
    """DataFrame row, view, x, y, text (with views also mean_x, mean_y, silhouette); `.attrs` as in analysis."""
    if method not in ("pca", "umap", "cone"):
        raise unknown("projection", method, ("pca", "umap", "cone"))
    question.texts(texts)
    question.target(target, encoder="it has no dropout" if views > 1 else "")
    if views == 1:
        views = 0
    question.say(method=method, views=whole("views", views, 0, 200), dropout=rate(dropout), seed=int(seed))
    question.say(neighbours=whole("neighbours", neighbours, 2, 200))
    if method == "umap":
        question.lane = "slow"


def geometry(question: Question, *, texts: Sequence[str], target: Any = "minilm-l3") -> None:
    """dict with `metrics` (plain dict) and `spectrum` (DataFrame)."""
    question.texts(texts, least=3)
    if question.target(target).baseline:
        question.lane = "slow"  # some measures take the cube of the dimensions, and words are many


def neighbours(question: Question, *, texts: Sequence[str], target: Any = "minilm-l3", count: int = 10) -> None:
    """DataFrame row, rank, neighbour, cosine."""
    question.texts(texts, least=2)
    question.target(target)
    question.say(count=whole("count", count, 1, 100))


def tokens(question: Question, *, texts: Sequence[str], target: Any = "minilm-l3", max_length: int = 0) -> None:
    """DataFrame text, position, token, kind, kept, id (-1 for special ones); `text` is the row of the text."""
    question.texts(texts)
    question.target(target, encoder="it has no sub-words")
    question.say(max_length=whole("max_length", max_length, 0, 512))
