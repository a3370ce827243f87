"""Nearest neighbours in the linked views: of the selected sentence, and how many of them two encoders share."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from workbench.ui.canvas import Number, full_name
from workbench.ui.explore.additions import Additions
from workbench.ui.kit.asking import Question, ask
from workbench.ui.kit.figures import download, takeaway
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.passages import passage
from workbench.ui.kit.score_notes import sheet
from workbench.ui.kit.words import figure, html
from workbench.ui.targets.names import target_name
from workbench.verbs import neighbours

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

MOST_TEXTS = 10_000
"""Most sentences whose neighbours are looked for: the time grows with their square."""
MOST_NEAR = 30
"""Most neighbours of a sentence."""
MOST_SELECTED = 200
"""Most selected sentences that one can choose from."""


def ask_neighbours(targets: Sequence[str], texts: Sequence[str]) -> "list[Question[DataFrame]]":
    """The nearest other sentences of each sentence, by each target; no question where there are too many or too few."""
    if not 2 <= len(texts) <= MOST_TEXTS:
        return []
    count = min(MOST_NEAR, len(texts) - 1)
    return [
        ask(neighbours.VERB, slot=f"explore.linked.neighbours.{number}", texts=texts, target=target, count=count)
        for number, target in enumerate(targets)
    ]


def pick_count(n: int) -> int:
    """How many neighbours of each of n sentences."""
    most = min(MOST_NEAR, n - 1)
    if most <= 1:
        return 1
    st.header("Nearest sentences", anchor=False)
    left, _ = st.columns(2)
    return left.slider("Neighbours", 1, most, min(10, most), key="near", bind="query-params")


def near_count(n: int) -> int:
    """What `pick_count` last gave."""
    return int(st.session_state.get("near", min(10, MOST_NEAR, n - 1)))


def overlap_columns(tables: "Sequence[DataFrame]", count: int, owners: Sequence[str]) -> Additions:
    """For each sentence, the share of its nearest ones that each further encoder has in common with the first."""
    from workbench.analysis.neighbour_overlap import overlap_of

    columns, colours = [], []
    for number, (table, of) in enumerate(zip(tables[1:], owners[1:], strict=True), 1):
        jaccard = overlap_of(tables[0], table, count=count)["jaccard"].to_numpy()
        columns.append(Number(f"jaccard {number}", "Neighbours shared", jaccard, of=of))
        colours.append((f"jaccard {number}", full_name(f"neighbours shared (Jaccard@{count})", of)))
    return Additions(
        of_sentences=tuple(columns), in_sentences=tuple(column.name for column in columns), colours=tuple(colours)
    )


def nearest_lists(
    targets: Sequence[str],
    texts: Sequence[str],
    questions: "Sequence[Question[DataFrame]]",
    marked: "NDArray[np.bool_] | None",
    count: int,
) -> None:
    """The neighbours of a selected sentence, by each target side by side; those that all find near are marked."""
    if not questions:
        if len(texts) > MOST_TEXTS:
            quiet(f"Neighbours are computed for up to {MOST_TEXTS:,} sentences; there are {len(texts):,} here.")
        return
    failed = next((question.answer.error for question in questions if question.answer.state == "failed"), None)
    if failed or any(question.result is None for question in questions):
        quiet(f"Neighbours could not be computed: {failed}" if failed else "Neighbours are being computed.")
        return
    tables = [question.there for question in questions]
    if len(tables) > 1:
        takeaway(shared_words([target_name(target) for target in targets], tables, count))
    if marked is None:
        quiet("Select a sentence to see its nearest ones here." if len(tables) == 1 else _SELECT)
        return
    row = _pick_row(np.flatnonzero(marked).tolist(), texts)
    near = [_nearest(table, row, count) for table in tables]
    common = set.intersection(*(set(some["neighbour"]) for some in near)) if len(near) > 1 else set()
    mark = f" <small>near for {'both' if len(near) == 2 else 'all'}</small>"
    for column, target, some, table in zip(st.columns(len(near), gap="large"), targets, near, tables, strict=True):
        with column:
            st.html(f'<p class="of">{html(target_name(target))}</p>')
            lines = [
                f'<tr><td class="words">{passage(texts[neighbour])}{mark if neighbour in common else ""}</td>'
                f"<td>{figure(cosine)}</td></tr>"
                for neighbour, cosine in zip(some["neighbour"], some["cosine"], strict=True)
            ]
            sheet("<th class='words'>Nearest first</th><th>Cosine</th>", lines)
            download(partial(_with_texts, table, texts, count), f"neighbours.{target}.csv")
    quiet(
        "In a narrow cone unrelated sentences have high cosines too: see which are near before how near they are.",
        ["cone"],
    )


_SELECT = (
    "Select a sentence to see its nearest ones by each encoder here, side by side. The share that the first has in "
    "common with another is a colour, and a column of the sentences."
)


def shared_words(names: Sequence[str], tables: "Sequence[DataFrame]", count: int) -> str:
    """How many neighbours the encoders share with the first, on average over the sentences.

    >>> import pandas
    >>> table = pandas.DataFrame({"row": [0, 1], "rank": [1, 1], "neighbour": [1, 0], "cosine": [0.5, 0.5]})
    >>> shared_words(["a", "b"], [table, table], 1)
    'Of the nearest neighbour of a sentence, a and b share 1.0 of 1 on average (Jaccard 1.00).'
    """
    from workbench.analysis.neighbour_overlap import overlap_of

    sentences = []
    nearest = f"the {count} nearest neighbours" if count > 1 else "the nearest neighbour"
    for name, table in zip(names[1:], tables[1:], strict=True):
        overlap = overlap_of(tables[0], table, count=count)
        sentences.append(
            f"Of {nearest} of a sentence, {names[0]} and {name} share {figure(float(overlap['shared'].mean()), 1)} "
            f"of {count} on average (Jaccard {figure(overlap.attrs['mean'])})."
        )
    return " ".join(sentences)


def _pick_row(rows: list[int], texts: Sequence[str]) -> int:
    """One of the selected sentences."""
    offered = rows[:MOST_SELECTED]
    if len(offered) == 1:
        st.html(f'<p class="of">{passage(texts[offered[0]])}</p>')
        return offered[0]
    more = f", the first {MOST_SELECTED} of {len(rows):,}" if len(rows) > MOST_SELECTED else f" of {len(rows):,}"
    chosen = st.selectbox(
        f"Selected sentence{more}", offered, format_func=texts.__getitem__, key="near.sentence", filter_mode="fuzzy"
    )
    return offered[0] if chosen is None else chosen


def _nearest(table: "DataFrame", row: int, count: int) -> "DataFrame":
    return table[(table["row"] == row) & (table["rank"] <= count)]


def _with_texts(table: "DataFrame", texts: Sequence[str], count: int) -> "DataFrame":
    near = table[table["rank"] <= count]
    return near.assign(
        text=[texts[row] for row in near["row"]], neighbour_text=[texts[row] for row in near["neighbour"]]
    )
