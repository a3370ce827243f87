"""The sentences a page works on: typed, pasted, or sampled from a data set."""

from itertools import accumulate
from urllib.parse import quote

import streamlit as st

from workbench.core.errors import WorkbenchError
from workbench.ui.corpora.choice import pick_corpus
from workbench.ui.kit.address import MOST_SEED, bound_number, choose_button, read_address, write_address
from workbench.ui.kit.asking import ask, when_answered
from workbench.ui.kit.notices import part, trouble
from workbench.verbs import sample as sample_verb

MOST_SENTENCES = 50
MOST_SIGNS = 100_000
_MOST_ADDRESS = 8_000
"""Longest text in an address that servers and mail programs do not cut."""
_FROM = {"typed": "Typed or pasted", "set": "From a data set"}


def sentences_from(example: str) -> tuple[list[str], str]:
    """The sentences, and the corpus for statistics: the one they come from, or the demo's if they are typed.

    Empty while a data set is being read.
    """
    part("Sentences")
    source = choose_button(
        "Sentences", list(_FROM), key="from", start="typed", shown=_FROM.__getitem__, label_visibility="collapsed"
    )
    if source == "typed":
        return sentences_input("One sentence per line", example, key="text"), "demo"
    try:
        corpus = pick_corpus()
    except WorkbenchError as error:  # a path outside the allowed folders
        trouble(error)
        return [], "demo"
    left, right = st.columns(2)
    n = bound_number(left.number_input, "How many", 1, MOST_SENTENCES, 8, key="n")
    seed = bound_number(right.number_input, "Sampling seed", 0, MOST_SEED, 0, key="sample")
    if not corpus:
        return [], "demo"
    question = ask(sample_verb.VERB, slot="sentences", corpus=corpus, n=n, seed=seed)
    when_answered([question], lambda: None, height=60)
    return ([] if question.result is None else [str(text) for text in question.result["text"]]), corpus


def sentences_input(label: str, example: str, *, key: str, most: int = MOST_SENTENCES, height: int = 160) -> list[str]:
    """The typed sentences, one per line, without empty lines. Kept in the address as long as they fit."""
    read_address(key, [example])
    typed = st.text_area(label, key=key, height=height, persist_state="session")
    fits = len(quote(typed or "")) <= _MOST_ADDRESS
    write_address(key, [typed] if typed and fits else [], [example])
    if not fits:
        st.caption("Too long for the address: a reload and a link to this page begin without these sentences.")
    lines = [line.strip() for line in (typed or "").splitlines() if line.strip()]
    if sum(map(len, lines[:most])) > MOST_SIGNS:
        kept = sum(total <= MOST_SIGNS for total in accumulate(map(len, lines[:most])))
        trouble(f"The sentences have more than {MOST_SIGNS:,} characters in total; the first {kept} are used.")
        return lines[:kept]
    if len(lines) > most:
        st.caption(f"The first {most} of {len(lines)} sentences are used.")
    return lines[:most]
