"""The lens of one cosine: which tokens of two sentences it comes from."""

from functools import partial

import streamlit as st

from workbench.core.records import Row
from workbench.ui.explore.lenses import side_by_side
from workbench.ui.explore.slices import marked_part
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import show
from workbench.ui.kit.notices import empty, quiet
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import figure
from workbench.verbs import explain_cosine, score
from workbench.verbs.explain_cosine import CosineParts
from workbench.verbs.score import PairScores

OF_SET, OWN = "a pair of the set", "own sentences"
_STARTED = "cosine.started"
"""Session key: the selected pairs whose first one has been shown."""
LONGEST = 60
"""Characters of each sentence in the list of pairs."""


def cosine_lens(targets: list[str], pairs: str) -> None:
    """One matrix for each target: what each pair of tokens adds to the cosine of two sentences."""
    source = st.segmented_control(
        "Sentences", [OF_SET, OWN], default=OF_SET, required=True, key="cosine.source", bind="query-params"
    )
    if source == OWN:
        left, right = st.columns(2, gap="medium")
        first = left.text_input("First sentence", "A man is playing a guitar.", key="cosine.first", bind="query-params")
        second = right.text_input(
            "Second sentence", "Someone plays an instrument.", key="cosine.second", bind="query-params"
        )
        _explain(targets, str(first or ""), str(second or ""))
        return
    question = ask(score.VERB, slot="explore.cosine.pairs", target=targets[0], pairs=pairs)
    when_answered([question], partial(_of_set, targets, question, pairs), height=420)


def _of_set(targets: list[str], question: "Question[PairScores]", pairs: str) -> None:
    table = question.there.cosines
    rows = table.to_dict("records")
    marked = marked_part(pairs)
    key = f"cosine.pair.{pairs}"  # under one key for all sets the box would go on showing a pair of the last one
    if marked is not None and marked.rows and st.session_state.get(_STARTED) != marked.rows:
        st.session_state[key] = marked.rows[0]
        st.session_state[_STARTED] = marked.rows
    number = st.selectbox(
        "Pair",
        range(len(rows)),
        format_func=lambda number: _named(rows[number]),
        key=key,
        filter_mode="fuzzy",
        help="In the order of the set. Type a word to find its pairs.",
    )
    if marked is not None and number in marked.rows and len(marked.rows) > 1:
        quiet(f"One of {len(marked.rows):,} pairs selected in the linked views, which it starts with.")
    if number is None:
        empty("No pair is chosen.", "Choose one above.")
        return
    _explain(targets, str(rows[number]["sentence1"]), str(rows[number]["sentence2"]))


def _named(row: Row) -> str:
    sides = (str(row[name]) for name in ("sentence1", "sentence2"))
    short = (text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…" for text in sides)
    return f"gold {figure(row['gold'])} · {' | '.join(short)}"


def _explain(targets: list[str], first: str, second: str) -> None:
    if not (first.strip() and second.strip()):
        empty("A sentence is missing.", "Write both.")
        return
    questions = [
        ask(explain_cosine.VERB, slot=f"explore.cosine.{number}", first=first, second=second, target=target)
        for number, target in enumerate(targets)
    ]

    def draw(target: str, answer: CosineParts) -> None:
        from workbench.plots.token_contributions import token_contributions

        known = [question.result for question in questions if question.result is not None]
        most = max(float(answer_so_far.parts["contribution"].abs().max()) for answer_so_far in known)
        show(
            token_contributions(answer.parts, most=most, dark=dark()),
            key=f"cosine.{target}",
            data=answer.parts,
            caption=f"pooling {answer.pooling}; the cells add up to 100 × the cosine",
        )

    side_by_side(targets, questions, draw)
    quiet(
        "Under mean pooling the cosine is exactly the sum of these cells. Where pairs of different tokens add most of it, "
        "all tokens share a direction: that is the cone. A token's vector also holds its context, so the cells show where the "
        "cosine comes from, not why.",
        explain=["cone"],
    )
    repeat(*(f"{python_call('explain_cosine', first, second, target=target)}.parts" for target in targets))
