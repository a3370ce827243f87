"""The lens of the margin: which texts a loss with an angular margin still has something to do for."""

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from workbench.ui.explore import figures
from workbench.ui.explore.lenses import of_words, on_sentences, selected_among, side_by_side, texts_lines
from workbench.ui.explore.slices import Part
from workbench.ui.kit.asking import ask
from workbench.ui.kit.figures import show
from workbench.ui.kit.notices import empty, quiet
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.theme import dark
from workbench.verbs import angles
from workbench.verbs.pair_texts import Sentences

if TYPE_CHECKING:
    from pandas import DataFrame


def margin_lens(targets: list[str], pairs: str) -> None:
    """Angles of each text with its own second view and with the nearest other text, and the boundary of a margin."""
    left, right = st.columns(2, gap="medium")
    margin = left.slider(
        "Margin, degrees",
        0,
        40,
        10,
        key="margin.degrees",
        bind="query-params",
        help="ArcCSE asks that every other text be at least this much farther away than the sentence's own second view.",
    )
    rate = right.slider("Dropout rate", 0.0, 0.5, 0.1, 0.05, key="margin.rate", bind="query-params")
    on_sentences(pairs, partial(_margin, targets, pairs, margin, rate), least=2)


def _margin(targets: list[str], pairs: str, margin: int, rate: float, sentences: Sentences, part: Part | None) -> None:
    texts = sentences.texts
    marked = selected_among(pairs, texts, part)
    if len(texts) < 2:
        empty("Fewer than two sentences.", "Choose another pair set above.")
        return
    questions = [
        ask(angles.VERB, slot=f"explore.angles.{number}", texts=texts, target=target, dropout=rate)
        for number, target in enumerate(targets)
    ]

    def draw(target: str, table: "DataFrame") -> None:
        from workbench.plots.decision_boundary import decision_boundary

        drawn = decision_boundary(table, margin, dark=dark())
        some = table[table["text"].isin([texts[row] for row in marked])].dropna(subset=["positive", "negative"])
        figures.ring(drawn, some["positive"].to_numpy(), some["negative"].to_numpy())
        show(
            drawn,
            key=f"margin.{target}",
            data=table,
            caption=f"{of_words(len(table), pairs, part)}, each a negative of all others; dropout {rate:g}",
        )

    side_by_side(targets, questions, draw)
    quiet(
        "Above the dotted line a text is nearer to its own second view than to any other; above the solid one by more than the "
        "margin, and then the loss has little left to ask of it. Zhang et al. 2022 (ArcCSE) sketch the same two lines."
    )
    repeat(
        *texts_lines(pairs, sentences, part),
        *(
            python_call("angles", texts="TEXTS", target=target, dropout=rate).replace("texts='TEXTS'", "texts")
            for target in targets
        ),
    )
