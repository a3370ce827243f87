"""The tabs of the Explore page: each asks for its data and draws the targets side by side."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from workbench.ui.explore import figures
from workbench.ui.explore.planes import trust_words
from workbench.ui.explore.slices import Part, ask_part_texts, marked_part, pick_part, too_few
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.notices import facts, quiet
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.score_notes import fitted_words, pairs_name
from workbench.ui.kit.words import figure, html
from workbench.ui.targets.names import target_name
from workbench.verbs import project as project_verb
from workbench.verbs.pair_texts import Sentences

MOST_POINTS = 1000
"""Most texts in one plot; more would hide each other."""
LEAST_POINTS = 3
"""Fewest of which a projection shows anything."""

if TYPE_CHECKING:
    from pandas import DataFrame

AnswerT = TypeVar("AnswerT")


def on_sentences(pairs: str, draw: Callable[[Sentences, Part | None], None], *, least: int) -> None:
    """Call `draw` with the distinct sentences of a pair set, or of the part of it that is chosen, once they are read.

    They are thinned to what can be drawn; of a part with fewer than `least` a message says so.
    """
    part = pick_part(pairs)
    question = ask_part_texts(pairs, part, MOST_POINTS)

    def drawn() -> None:
        sentences = question.there
        if part is None or not too_few(part, len(sentences.texts), least, "sentences"):
            draw(sentences, part)

    when_answered([question], drawn)


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
    on_sentences(pairs, partial(_cone, targets, pairs), least=LEAST_POINTS)


def _cone(targets: list[str], pairs: str, sentences: Sentences, part: Part | None) -> None:
    marked = selected_among(pairs, sentences.texts, part)
    questions = [
        ask(project_verb.VERB, slot=f"explore.cone.{place}", texts=sentences.texts, target=target, method="cone")
        for place, target in enumerate(targets)
    ]

    def draw(target: str, table: "DataFrame") -> None:
        figures.cone_figure(
            target,
            table,
            f"{of_words(len(table), pairs, part)}; unit vectors, mean not subtracted; cross: "
            f"origin, arrow: mean direction; {trust_words(table)}{fitted_words(table.attrs.get('fitted_on'))}",
            marked,
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
            explain=["mean cosine"] if target == targets[0] else (),
        )

    side_by_side(targets, questions, draw)
    quiet(
        "PCA and UMAP hide this: PCA subtracts the mean first, and UMAP keeps only neighbourhoods. Both "
        "would spread these points around the centre, however narrow the cone is. That is why the origin is "
        "drawn here, and why both mean cosines are given above.",
        explain=["cone"],
    )
    repeat(
        *texts_lines(pairs, sentences, part),
        *(_on_texts("project", target=target, method="cone") for target in targets),
    )


def texts_lines(pairs: str, sentences: Sentences, part: Part | None) -> list[str]:
    """Lines of Python that set `texts` to the texts drawn here."""
    if part is not None and part.texts is not None:
        return [f"texts = {sentences.texts!r}"]
    more: dict[str, object] = {"rows": list(part.rows)} if part else {}
    more |= {"most": MOST_POINTS} if sentences.step > 1 else {}
    return [f"texts = {python_call('pair_texts', pairs, **more)}.texts"]


def of_words(count: int, pairs: str, part: Part | None) -> str:
    """How many sentences of what are drawn."""
    return f"{count:,} sentences of {pairs_name(pairs)}{f', {part.name}' if part else ''}"


def selected_among(pairs: str, texts: Sequence[str], part: Part | None) -> list[int]:
    """The rows of those texts that are selected in the linked views; none where the selection is all there is."""
    marked = marked_part(pairs)
    if marked is None or marked.texts is None or marked is part:
        return []
    chosen = set(marked.texts)
    return [row for row, text in enumerate(texts) if text in chosen]


def _on_texts(verb: str, *args: str, **kwargs: object) -> str:
    return python_call(verb, *args, texts="TEXTS", **kwargs).replace("texts='TEXTS'", "texts=texts")
