"""Questions about some texts and what a model makes of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.core.errors import BadData, BadRun, BadSetting, unknown
from workbench.models.cards import EMBEDDED
from workbench.models.tokens import MASK, OTHER_MASK
from workbench.previews.fill_mask import MOST, headless, model_of
from workbench.verbs.questions.question import Question, rate, whole


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


def fill_mask(
    question: Question,
    *,
    texts: Sequence[str],
    words: Sequence[Sequence[str]] = (),
    target: Any = "mini-mlm",
    top: int = 10,
) -> None:
    """DataFrame text, mask, piece, pieces, rank, token, probability, true, see previews.fill_mask."""
    question.texts(texts)
    if words and len(words) != len(texts):
        raise BadData(
            "words has the covered words of each text, or nothing.", got=f"{len(words)} for {len(texts)} texts"
        )
    found = question.target(target, encoder="it has no masked-language head")
    if found.pooling or found.transform:
        raise BadSetting(f"{found.text} is more than a model.", way_out=f"Leave all behind {found.encoder.label} away.")
    if found.run is not None and not found.run.config.pretrains:
        raise BadSetting(
            f"{found.text} is a fine-tune: it has left the masked-language head behind.",
            way_out=f"Take its backbone, {found.run.config.model.backbone}, or a run that pretrains.",
        )
    if found.run is not None and found.checkpoint != "best":
        raise BadSetting(
            f"{found.text} has no language head by itself.", way_out="Take the run: its best step has one."
        )
    if found.run is not None and not Path(model_of(found)).is_dir():
        raise BadRun(f"{found.run.id} has no model yet.", got=found.run.state, way_out="Wait until it has ended.")
    if found.backbone in EMBEDDED and not EMBEDDED[found.backbone].masked:
        raise headless(found.backbone)
    for place, text in enumerate(texts, 1):
        if MASK not in text and OTHER_MASK not in text:
            raise BadData(f"Text {place} has no {MASK}.", way_out=f"Write {MASK} in the place of a word.")
    question.say(words=[list(map(str, own)) for own in words], top=whole("top", top, 1, MOST))
