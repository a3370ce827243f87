"""Slices on Explore: a selection gets a name, a slice is marked in the linked views, and scored by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from workbench import api
from workbench.data.references import absolute_pairs
from workbench.statistics.linked_pairs import of_rows
from workbench.store.slices import LONGEST_NAME, Slice
from workbench.ui.canvas import Chosen, Scene
from workbench.ui.kit.address import choose, choose_several
from workbench.ui.kit.asking import KnownAnswer, Question, ask, when_answered
from workbench.ui.kit.figures import download
from workbench.ui.kit.notices import attempt, empty, footing, quiet
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.score_notes import fitted_on, sheet
from workbench.ui.kit.words import figure, html, interval, plain, score
from workbench.ui.targets.choice import drop_absent, known_targets, option_names, readable
from workbench.ui.targets.names import target_name
from workbench.verbs import pair_texts, score_slice
from workbench.verbs.pair_texts import Sentences

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

MOST_TARGETS = 12
_MARKED = "explore.marked"
"""Session key: what was last selected in the linked views."""
_PART = "part"
"""Session key and parameter of the address: which of the pairs the other tabs show."""
_SELECTED, _SLICE = "selected", "slice: "


@dataclass(frozen=True)
class Part:
    """Some of the pairs of a set, and their sentences."""

    name: str
    """What they are called."""
    rows: tuple[int, ...]
    """Of pairs, ascending."""
    texts: tuple[str, ...] | None = None
    """The sentences that were selected; None for all of the pairs."""


def remember(pairs: str, chosen: Chosen | None, scene: Scene, texts: Sequence[str]) -> None:
    """Keep what is selected in the linked views for the other tabs."""
    if chosen is None:
        st.session_state.pop(_MARKED, None)
        return
    rows, sentences = (np.flatnonzero(chosen.of(scene, kind)).tolist() for kind in ("pairs", "sentences"))
    words = tuple(texts[row] for row in sentences)
    count, kind = (len(words), "sentence") if chosen.rows == "sentences" else (len(rows), "pair")
    name = f"the {count:,} selected {kind}{'s' * (count != 1)}"
    st.session_state[_MARKED] = absolute_pairs(pairs), Part(name, tuple(rows), words)


def marked_part(pairs: str) -> Part | None:
    """What is selected in the linked views of a pair set."""
    of, part = st.session_state.get(_MARKED, ("", None))
    return part if of == absolute_pairs(pairs) else None


def pick_part(pairs: str) -> Part | None:
    """The selection, a slice, or None for all sentences: a choice kept in the address, shown where there is one."""
    marked, kept = marked_part(pairs), slices_of(pairs)
    parts = {_SLICE + name: Part(f"slice {name}", one.rows) for name, one in kept.items()}
    if marked is not None:
        parts = {_SELECTED: marked, **parts}
    if not parts and _PART not in st.query_params:
        return None
    left, _ = st.columns(2)
    with left:
        chosen = choose(
            "Shown",
            ["", *parts],
            key=_PART,
            start="",
            shown=lambda key: capital(parts[key].name) if key else "All sentences",
            why_missed="A selection made in the linked views lasts as long as its page: keep it as a slice.",
            help="What is selected in the linked views, or a slice kept there.",
        )
    return parts.get(chosen)


def capital(words: str) -> str:
    """With a capital letter."""
    return words[:1].upper() + words[1:]


def too_few(part: Part, have: int, least: int, counted: str) -> bool:
    """Whether a part has too few for a figure, and the message that says so."""
    if have >= least:
        return False
    empty(
        f"Too few {counted}: {part.name}.",
        f"This figure needs {least} or more; there are {have}. Choose all sentences above, or select more in the linked views.",
    )
    return True


def ask_part_texts(pairs: str, part: Part | None, most: int) -> "Question[Sentences] | KnownAnswer[Sentences]":
    """The sentences of a part, or of the whole set, evenly thinned to at most so many."""
    if part is not None and part.texts is not None:
        step = max(1, -(-len(part.texts) // most))
        return KnownAnswer(Sentences(list(part.texts[::step]), step))
    rows = list(part.rows) if part else []
    return ask(pair_texts.VERB, slot="explore.texts", pairs=pairs, most=most, rows=rows)


def slices_of(pairs: str) -> dict[str, Slice]:
    """The slices of a pair set, by name."""
    reference = absolute_pairs(pairs)
    return {kept.name: kept for kept in api.slices() if kept.pairs == reference}


def pick_slice(pairs: str) -> Slice | None:
    """One of the slices of a pair set, kept in the address; None for all pairs."""
    known = slices_of(pairs)
    asked = st.session_state.pop("slice.next", None)
    if asked is not None:
        st.session_state["slice"] = asked
    chosen = choose(
        "Slice",
        ["", *known],
        key="slice",
        start="",
        shown=lambda name: name or ("all pairs" if known else "none is kept yet"),
        help="Pairs that were selected and given a name.",
        why_missed="It belongs to other pairs, or was renamed or deleted.",
    )
    return known.get(chosen)


def marked_by(kept: Slice, n: int) -> Chosen | None:
    """The pairs of a slice as a selection; None if the set has fewer pairs."""
    if kept.rows[-1] >= n:
        return None
    mask = np.zeros(n, dtype=bool)
    mask[list(kept.rows)] = True
    return Chosen("pairs", mask)


def keep_form(pairs: str, marked: "NDArray[np.bool_] | None") -> None:
    """A name for the selected pairs."""
    if marked is None:
        quiet("Select sentences or pairs to keep them as a slice, a set of pairs with a name and scores of its own.")
        return
    if st.session_state.pop("slice.kept", False):
        st.session_state["slice.name"] = ""  # the next slice is another
    with st.form("slice.form", border=False):
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        name = left.text_input(
            f"Keep {_these(int(marked.sum()))} as a slice named", max_chars=LONGEST_NAME, key="slice.name"
        )
        kept = right.form_submit_button("Keep", width="stretch")
    if kept and attempt(lambda: api.save_slice(name, pairs, np.flatnonzero(marked).tolist())):
        st.session_state["slice.next"] = " ".join(name.split())
        st.session_state["slice.kept"] = True
        st.rerun()


def _these(pairs: int) -> str:
    """So many pairs, in words.

    >>> _these(1), _these(1200)
    ('this 1 pair', 'these 1,200 pairs')
    """
    return f"this {pairs:,} pair" if pairs == 1 else f"these {pairs:,} pairs"


def slice_scores(kept: Slice, targets: list[str]) -> None:
    """The scores of a slice for up to 12 targets, and what can be done with it."""
    st.header(f"Slice: {plain(kept.name)}", anchor=False)
    chosen = choose_several(
        "Scored on this slice",
        known_targets(),
        key="slice.targets",
        start=targets,
        shown=option_names(),
        max_selections=MOST_TARGETS,
    )
    scored = drop_absent(readable(chosen or targets))
    if scored:
        question = ask(score_slice.VERB, slot="explore.slice", slice=kept.name, targets=scored)
        when_answered([question], partial(_scores, kept, scored, question), height=160)
    _manage(kept)
    repeat(
        python_call("score_slice", kept.name, targets=scored),
        command=f"python -m workbench score_slice {kept.name!r} {' '.join(map(repr, scored))}",
    )


def _scores(kept: Slice, targets: list[str], question: "Question[DataFrame]") -> None:
    table = question.there
    rows = [
        f'<tr><td class="words">{html(target_name(target))}</td>'
        f"<td>{score(row['spearman'])}<br><small>{interval(row['low'], row['high'])}</small></td>"
        f"<td>{score(row['spearman_set'])}</td><td>{figure(row['alignment'])}</td>"
        f"<td>{figure(row['uniformity'])}</td><td>{figure(row['mean_cosine'])}</td></tr>"
        for target, row in zip(targets, table.to_dict("records"), strict=True)
    ]
    head = (
        "<th class='words'>Encoder</th><th>Spearman<br>× 100 ↑</th><th>on all<br>pairs</th><th>Align-<br>ment ↓</th>"
        "<th>Unifor-<br>mity ↓</th><th>Mean<br>cosine</th>"
    )
    sheet(head, rows, explain=["alignment", "uniformity"])  # the others have their meanings above
    first = table.iloc[0]
    parts = [
        f"{kept.name}: {int(first['n']):,} of {int(first['of']):,} pairs, {int(first['sentences']):,} "
        f"sentence{'s' * int(first['sentences'] != 1)}",
        "95 % bootstrap intervals over pairs",
        *([f"alignment on {first['alignment_on']}"] if first["alignment_on"] else []),
        *fitted_on(table["fitted_on"]),
        *of_rows(table.to_dict("records")),
        "chosen after looking at the scores, a slice describes errors and tests nothing",
    ]
    footing("; ".join(parts))
    for note in table.attrs["notices"]:
        if "undefined" in note:
            quiet(note)
    download(table, f"slice.{kept.name}.csv")


def _manage(kept: Slice) -> None:
    with st.popover("Rename or delete"):
        name = st.text_input("New name", kept.name, max_chars=LONGEST_NAME, key=f"slice.rename.{kept.name}")
        if st.button("Rename", key="slice.rename") and attempt(lambda: api.rename_slice(kept.name, name)):
            st.session_state["slice.next"] = " ".join(name.split())
            st.rerun()
        stay = "The pair stays in its" if len(kept.rows) == 1 else f"The {len(kept.rows):,} pairs stay in their"
        st.caption(plain(f"{stay} set; only the slice is deleted."))
        if st.button(f"Delete {plain(kept.name)}", key="slice.delete") and attempt(lambda: api.delete_slice(kept.name)):
            st.session_state["slice.next"] = ""
            st.rerun()
