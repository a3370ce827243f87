"""The tabs of the Explore page: each asks for its data and draws the targets side by side."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from workbench.ui.explore import figures
from workbench.ui.explore.planes import trust_words
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.notices import facts, quiet
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.score_notes import fitted_words, pairs_name
from workbench.ui.kit.words import figure, html
from workbench.ui.targets.names import target_name
from workbench.verbs import pair_texts as pair_texts_verb
from workbench.verbs import project as project_verb
from workbench.verbs.pair_texts import Sentences

MOST_POINTS = 1000
"""Most texts in one plot; more would hide each other."""

if TYPE_CHECKING:
    from pandas import DataFrame

AnswerT = TypeVar("AnswerT")


def on_sentences(pairs: str, draw: Callable[[Sentences], None]) -> None:
    """Call `draw` with the distinct sentences of a pair set, thinned to what can be drawn, once they are read."""
    question = ask(pair_texts_verb.VERB, slot="explore.texts", pairs=pairs, most=MOST_POINTS)
    when_answered([question], lambda: draw(question.there))


def side_by_side(
    targets: Sequence[str],
    questions: Sequence[Question[AnswerT]],
    draw: Callable[[str, AnswerT], None],
    *,
    height: int = 420,
) -> None:
    """One column per target; each appears as soon as its own answer arrives."""
    columns = st.columns(len(targets), gap="large")
    for column, target, question in zip(columns, targets, questions, strict=True):
        with column:
            st.html(f'<p class="of">{html(target_name(target))}</p>')
            when_answered([question], partial(_draw_result, draw, target, question), height=height)


def _draw_result(draw: Callable[[str, AnswerT], None], target: str, question: Question[AnswerT]) -> None:
    draw(target, question.there)


def cone_lens(targets: list[str], pairs: str) -> None:
    """The uncentred projection, with origin and mean direction."""
    on_sentences(pairs, partial(_cone, targets, pairs))


def _cone(targets: list[str], pairs: str, sentences: Sentences) -> None:
    questions = [
        ask(project_verb.VERB, slot=f"explore.cone.{place}", texts=sentences.texts, target=target, method="cone")
        for place, target in enumerate(targets)
    ]

    def draw(target: str, table: "DataFrame") -> None:
        figures.cone_figure(
            target,
            table,
            f"{len(table):,} sentences of {pairs_name(pairs)}; unit vectors, mean not subtracted; cross: "
            f"origin, arrow: mean direction; {trust_words(table)}{fitted_words(table.attrs.get('fitted_on'))}",
        )
        facts(
            {
                "Mean cosine of the vectors": figure(table.attrs["mean_cosine"]),
                "Mean cosine of the points drawn": figure(table.attrs["drawn_mean_cosine"]),
            },
            {
                "Mean cosine of the vectors": f"centred {figure(table.attrs['mean_cosine_centred'])}",
                "Mean cosine of the points drawn": f"centred {figure(table.attrs['drawn_mean_cosine_centred'])}",
            },
        )

    side_by_side(targets, questions, draw)
    quiet(
        "PCA and UMAP hide this: PCA subtracts the mean first, and UMAP keeps only neighbourhoods. Both "
        "would spread these points around the centre, however narrow the cone is. That is why the origin is "
        "drawn here, and why both mean cosines are given above."
    )
    repeat(*texts_lines(pairs, sentences), *(_on_texts("project", target=target, method="cone") for target in targets))


def texts_lines(pairs: str, sentences: Sentences) -> list[str]:
    """Lines of Python that set `texts` to the texts drawn here."""
    thinned = {"most": MOST_POINTS} if sentences.step > 1 else {}
    return [f"texts = {python_call('pair_texts', pairs, **thinned)}.texts"]


def _on_texts(verb: str, *args: str, **kwargs: object) -> str:
    return python_call(verb, *args, texts="TEXTS", **kwargs).replace("texts='TEXTS'", "texts=texts")
