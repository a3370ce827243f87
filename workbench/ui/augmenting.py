"""Drawn texts as tables and as marked edits, and what an encoder makes of them."""

from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench import api
from workbench.ui.differences import edits_html, legend_html
from workbench.ui.words import html

if TYPE_CHECKING:
    import numpy
    from pandas import DataFrame

MOST_SENTENCES = 50


def sentences_input(label: str, example: str, *, key: str, most: int = MOST_SENTENCES, height: int = 130) -> list[str]:
    """The sentences typed, one a line; empty lines are none. They are kept in the address, as long as they fit."""
    typed = st.text_area(label, value=example, key=key, bind="query-params", height=height, max_chars=3000)
    lines = [line.strip() for line in (typed or "").splitlines() if line.strip()]
    if len(lines) > most:
        st.caption(f"The first {most} of {len(lines)} sentences are used.")
    return lines[:most]


@st.cache_data(show_spinner=False, max_entries=64, scope="session")
def augmented(name: str, sentences: tuple[str, ...], seed: int, draws: int, settings: dict[str, Any]) -> "DataFrame":
    """Columns sentence, draw, before, text, changed, acted, label, again, see `api.augment`."""
    return api.augment(name, sentences, seed=seed, draws=draws, **settings)


def show_draws(table: "DataFrame") -> None:
    """Every draw under its sentence, edits marked."""
    parts = []
    for _, group in table.groupby("sentence", sort=True):
        before = group["before"].iloc[0]
        parts.append(f'<div class="draw"><span class="label">original</span><span>{html(before)}</span></div>')
        for row in group.itertuples():
            note = "" if row.changed else "unchanged"
            note = "again" if row.again and row.changed else note
            label = f"draw {row.draw}" + (f"<br>{note}" if note else "")
            parts.append(
                f'<div class="draw"><span class="label">{label}</span><span>{edits_html(before, row.text)}</span></div>'
            )
        parts.append("<br>")
    st.html(f'<div class="edits">{"".join(parts)}</div>')


def show_tokens(tokens: "DataFrame", labels: list[str], places: list[int]) -> None:
    """Sub-word strips, one under the other. Special tokens are dotted, what the length limit cuts off is struck through."""
    strips = []
    for label, place in zip(labels, places, strict=True):
        own = tokens[tokens["text"] == place].sort_values("position")
        spans = "".join(
            f'<span class="{_token_look(row.kind, row.kept)}">{html(row.token)}</span>' for row in own.itertuples()
        )
        strips.append(f'<p class="footing">{html(label)}, {len(own)} tokens</p><div class="tokens">{spans}</div>')
    st.html("".join(strips))


def token_strips(tokens: "DataFrame", table: "DataFrame", texts: list[str]) -> None:
    """One sentence and its draws as the encoder's tokens."""
    originals = list(dict.fromkeys(table["before"]))
    chosen = originals[0]
    if len(originals) > 1:
        chosen = st.selectbox("Sentence", originals, key="tokens.sentence")
    draws = table[table["before"] == chosen]
    shown = [chosen, *draws["text"]]
    show_tokens(
        tokens, ["original", *(f"draw {number}" for number in draws["draw"])], [texts.index(text) for text in shown]
    )


def show_legend() -> None:
    """What the marks in the draws mean."""
    st.html(legend_html())


def _token_look(kind: str, kept: bool) -> str:
    return "special" if kind == "special" else "" if kept else "cut"


def closeness(table: "DataFrame", vectors: "numpy.ndarray", texts: list[str]) -> "DataFrame":
    """The drawn texts with the cosine of each to its original."""
    import numpy

    place = {text: number for number, text in enumerate(texts)}
    unit = vectors / numpy.maximum(numpy.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    before = unit[table["before"].map(place).to_numpy()]
    after = unit[table["text"].map(place).to_numpy()]
    return table.assign(cosine=(before * after).sum(axis=1))


def dropout_band(views: "numpy.ndarray") -> tuple[float, float]:
    """Between which cosines 90 % of the pairs of dropout views of one text lie. Shape (texts, views, dim)."""
    import numpy

    unit = views / numpy.maximum(numpy.linalg.norm(views, axis=2, keepdims=True), 1e-12)
    cosines = numpy.einsum("tvd,twd->tvw", unit, unit)
    rows, columns = numpy.triu_indices(views.shape[1], 1)
    low, high = numpy.quantile(cosines[:, rows, columns], [0.05, 0.95])
    return float(low), float(high)


def other_sentences(vectors: "numpy.ndarray", count: int) -> float | None:
    """Mean cosine of different originals, which are the first `count` rows; None for a single sentence."""
    import numpy

    if count < 2:
        return None
    unit = vectors[:count] / numpy.maximum(numpy.linalg.norm(vectors[:count], axis=1, keepdims=True), 1e-12)
    return float(((unit.sum(axis=0) ** 2).sum() - count) / (count * (count - 1)))
