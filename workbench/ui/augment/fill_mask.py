"""The fill-mask probe: mask words of a sentence and see what a masked language model predicts."""

import re
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.augmentations.text._words import CHARACTER
from workbench.augmentations.whole_words import combines
from workbench.models.cards import EMBEDDED, OWN
from workbench.models.tokens import MASK, OTHER_MASK, UNKNOWN
from workbench.ui.kit.address import choose
from workbench.ui.kit.asking import ask, when_answered
from workbench.ui.kit.figures import show
from workbench.ui.kit.folders import model_inside
from workbench.ui.kit.notices import empty, guarded, part, quiet
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import count, plain
from workbench.ui.targets.choice import pretrained
from workbench.ui.targets.names import run_name
from workbench.verbs import fill_mask as fill_mask_verb

if TYPE_CHECKING:
    from pandas import DataFrame

EXAMPLE = "The old bridge was closed after the storm."
_MARK = "\u0300"  # stands for any combining character
_LETTERS = rf"(?:(?!{CHARACTER})[^\W_]{_MARK}*)+"
_WORD = re.compile(rf"(?=[^\W_]){CHARACTER}{_MARK}*|{_LETTERS}(?:['’-]{_LETTERS})*")
_MOST_WORDS = 120


def fill_tab() -> None:
    """The probe, on the Augment page."""
    quiet(
        "A masked language model was trained to predict masked words. Its predictions show what it knows about a sentence; "
        "contextual replacement and insertion sample from them."
    )
    controls, shown = st.columns([2, 3], gap="large")
    backbone = ""
    with controls, guarded():
        sentence = st.text_area(
            "Sentence",
            value=EXAMPLE,
            key="sentence",
            bind="query-params",
            height=150,
            max_chars=2000,
            help=f"You can also type {MASK} in place of a word; then there is no true word to compare with.",
        )
        text, words = _covered(" ".join((sentence or "").replace(OTHER_MASK, MASK).split()))
        model = _pick_model()
        top = int(st.slider("Predictions shown", 3, 50, 10, key="top", bind="query-params"))
        backbone = model_inside(model)
    if not backbone:
        return  # the reason is shown above
    with shown, guarded():
        if MASK not in text:
            click = "Click one on the left, or type" if word_spans(text) else "There is none to click: type"
            empty("No word is masked.", f"{click} {MASK} into the sentence.")
            return
        asked: dict[str, Any] = {"texts": [text], "words": [words] if any(words) else [], "top": top}
        question = ask(fill_mask_verb.VERB, slot="fill_mask", target=backbone, **asked)
        when_answered([question], lambda: _show(question.there, words, backbone))
    called = {"words": words} if any(words) else {}
    repeat(python_call("fill_mask", text, **called, backbone=backbone, top=top))


def _pick_model() -> str:
    known = [name for name, card in EMBEDDED.items() if card.masked] or list(OWN)
    own = {run.id: f"{run_name(run)}: pretrained here" for run in pretrained()}
    return choose(
        "Masked language model",
        [*known, *own],
        key="masked",
        start=next(iter(OWN)),
        shown=lambda name: own.get(name, name),
        typed=True,
        help="Built in, from a pretraining run, or any Hugging Face id or folder of a model with a masked-language head.",
    )


def word_spans(sentence: str) -> list[tuple[int, int]]:
    """The spans of the words that can be masked; in Chinese and Japanese each character, as models read them.

    >>> [EXAMPLE[start:end] for start, end in word_spans(EXAMPLE)][:3]
    ['The', 'old', 'bridge']
    """
    covered = [(found.start(), found.end()) for found in re.finditer(re.escape(MASK), sentence)]
    return [
        (found.start(), found.end())
        for found in _WORD.finditer("".join(_MARK if combines(sign) else sign for sign in sentence))
        if not any(start <= found.start() < end for start, end in covered)
    ]


def mask_words(sentence: str, chosen: list[tuple[int, int]]) -> tuple[str, list[str]]:
    """The sentence with [MASK] in the chosen spans, and the word behind each [MASK]; "" for those that were typed.

    >>> mask_words("a [MASK] cat", [(9, 12)])
    ('a [MASK] [MASK]', ['', 'cat'])
    """
    before = [(found.start(), found.end(), "") for found in re.finditer(re.escape(MASK), sentence)]
    spans = sorted([*before, *((start, end, sentence[start:end]) for start, end in chosen)])
    text, last = "", 0
    for start, end, _ in spans:
        text += sentence[last:start] + MASK
        last = end
    return text + sentence[last:], [word for _, _, word in spans]


def _covered(sentence: str) -> tuple[str, list[str]]:
    every = word_spans(sentence)
    known = every[:_MOST_WORDS]
    longest = max(range(len(known)), key=lambda index: known[index][1] - known[index][0], default=None)
    start = [] if MASK in sentence or longest is None else [longest]
    chosen = st.pills(
        "Click words to mask them",
        range(len(known)),
        selection_mode="multi",
        default=start,
        format_func=lambda index: plain(sentence[slice(*known[index])]),
        key=f"cover.{sentence}",
        wrap=True,
        persist_state="session",
    )
    if len(known) < len(every):
        quiet(
            f"The first {count(len(known))} of {count(len(every))} words can be clicked; type {MASK} in place of a later one."
        )
    return mask_words(sentence, [known[index] for index in sorted(chosen or ()) if index < len(known)])


def _show(table: "DataFrame", words: list[str], backbone: str) -> None:
    from workbench.plots.fill_mask import fill_mask

    vocabulary = int(table.attrs["vocabulary"])
    groups = list(table.groupby(["mask", "piece"], sort=True))
    # One row of columns per two masks: on a narrow screen, columns are stacked left before right.
    wide = 1 + (len(groups) > 1)
    slots = [slot for _ in range(0, len(groups), wide) for slot in st.columns(wide, gap="medium")]
    for slot, ((mask, piece), own) in zip(slots, groups, strict=False):
        with slot:
            of_several = _heading(words[mask], mask, piece, int(own["pieces"].iloc[0]))
            part(of_several if len(groups) > 1 else "Predictions")
            show(
                fill_mask(own, vocabulary=vocabulary, dark=dark()),
                key=f"fill.{mask}.{piece}",
                caption=f"{backbone}, fp32, over the {count(vocabulary)} pieces of its vocabulary",
                data=own,
                height=90 + 27 * len(own),
            )
    if table.loc[table["true"], "token"].isin(UNKNOWN).any():
        st.warning(
            "The masked word is not in the vocabulary of this model, which sees it as the unknown token; that token's rank "
            "says nothing about the word."
        )
    if (table["pieces"] > 1).any():
        quiet("A word of several pieces is masked as a whole; each piece is predicted without seeing the others.")


def _heading(word: str, mask: int, piece: int, pieces: int) -> str:
    name = f"“{word}”" if word else f"{MASK} {mask + 1}"
    return f"{name}, piece {piece + 1} of {pieces}" if pieces > 1 else name
