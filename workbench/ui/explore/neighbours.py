"""The lens of nearest neighbours: which sentences an encoder finds most similar to one of them."""

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from workbench.ui.explore.lenses import on_sentences, side_by_side, texts_lines
from workbench.ui.kit.asking import ask
from workbench.ui.kit.figures import download
from workbench.ui.kit.notices import empty, quiet
from workbench.ui.kit.passages import passage
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.score_notes import pairs_name, sheet
from workbench.ui.kit.words import figure
from workbench.verbs import neighbours
from workbench.verbs.pair_texts import Sentences

if TYPE_CHECKING:
    from pandas import DataFrame


def neighbours_lens(targets: list[str], pairs: str) -> None:
    """The sentences nearest to a chosen one, for each target."""
    on_sentences(pairs, partial(_neighbours, targets, pairs))


def _neighbours(targets: list[str], pairs: str, sentences: Sentences) -> None:
    texts = sentences.texts
    if len(texts) < 2:
        empty("Fewer than two sentences.", "Choose another pair set above.")
        return
    left, right = st.columns([3, 1], gap="medium")
    row = left.selectbox(
        "Sentence", range(len(texts)), format_func=texts.__getitem__, key="sentence", filter_mode="fuzzy"
    )
    most, count = min(30, len(texts) - 1), 1
    if most > 1:
        count = right.slider("Neighbours", 1, most, min(10, most), key="near", bind="query-params")
    # One request for all sentences, so that switching between them needs no waiting.
    questions = [
        ask(neighbours.VERB, slot=f"explore.neighbours.{number}", texts=texts, target=target, count=count)
        for number, target in enumerate(targets)
    ]

    def draw(target: str, table: "DataFrame") -> None:
        nearest = table[table["row"] == row]
        others = [set(_of(question.result, row)) for question in questions if question.result is not table]
        lines = [
            f'<tr><td class="words">{passage(texts[neighbour])}{_shared(neighbour, others)}</td><td>{figure(cosine)}</td></tr>'
            for neighbour, cosine in zip(nearest["neighbour"], nearest["cosine"], strict=True)
        ]
        sheet("<th class='words'>Nearest first</th><th>Cosine</th>", lines)
        download(table.assign(text=[texts[number] for number in table["neighbour"]]), f"neighbours.{target}.csv")

    side_by_side(targets, questions, draw)
    quiet(
        f"Among the {len(texts):,} sentences of {pairs_name(pairs)}. In a narrow cone even unrelated sentences have high "
        "cosines, so check which sentences are near before how near they are."
    )
    repeat(
        *texts_lines(pairs, sentences),
        *(
            python_call("neighbours", texts="TEXTS", target=target, count=count).replace("texts='TEXTS'", "texts")
            for target in targets
        ),
    )


def _of(table: "DataFrame | None", row: int) -> list[int]:
    """The neighbours of a row; empty until they are known."""
    return [] if table is None else table.loc[table["row"] == row, "neighbour"].tolist()


def _shared(neighbour: int, others: list[set[int]]) -> str:
    """A mark if the other target finds it near as well."""
    return " <small>near for both</small>" if others and all(neighbour in near for near in others) else ""
