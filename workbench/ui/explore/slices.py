"""Slices on Explore: a selection gets a name, a slice is marked in the linked views, and scored by itself."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from workbench import api
from workbench.data.references import absolute_pairs
from workbench.store.slices import LONGEST_NAME, Slice
from workbench.ui.canvas import Chosen
from workbench.ui.kit.address import choose, choose_several
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import download
from workbench.ui.kit.notices import attempt, footing, quiet
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.score_notes import fitted_on, sheet
from workbench.ui.kit.words import figure, html, interval, plain, score
from workbench.ui.targets.choice import drop_absent, known_targets, readable
from workbench.ui.targets.names import target_name
from workbench.verbs import score_slice

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

MOST_TARGETS = 12


def pick_slice(pairs: str) -> Slice | None:
    """One of the slices of a pair set, kept in the address; None for all pairs."""
    reference = absolute_pairs(pairs)
    known = {kept.name: kept for kept in api.slices() if kept.pairs == reference}
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
    with st.form("slice.form", border=False, clear_on_submit=True):
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        name = left.text_input(
            f"Keep these {int(marked.sum()):,} pairs as a slice named", max_chars=LONGEST_NAME, key="slice.name"
        )
        kept = right.form_submit_button("Keep", width="stretch")
    if kept and attempt(lambda: api.save_slice(name, pairs, np.flatnonzero(marked).tolist())):
        st.session_state["slice.next"] = " ".join(name.split())
        st.rerun()


def slice_scores(kept: Slice, targets: list[str]) -> None:
    """The scores of a slice for up to 12 targets, and what can be done with it."""
    st.subheader(f"Slice: {plain(kept.name)}", anchor=False)
    chosen = choose_several(
        "Scored on this slice",
        known_targets(),
        key="slice.targets",
        start=targets,
        shown=target_name,
        max_selections=MOST_TARGETS,
    )
    scored = drop_absent(readable(chosen or targets))
    if scored:
        question = ask(score_slice.VERB, slot="explore.slice", slice=kept.name, targets=scored)
        when_answered([question], partial(_scores, kept, scored, question), height=160)
    _manage(kept)
    repeat(
        python_call("score_slice", kept.name, targets=scored),
        command=f"python -m workbench score_slice {kept.name!r} --targets {' '.join(map(repr, scored))}",
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
    sheet(head, rows)
    first = table.iloc[0]
    parts = [
        f"{kept.name}: {int(first['n']):,} of {int(first['of']):,} pairs, {int(first['sentences']):,} sentences",
        "95 % bootstrap intervals over pairs",
        *([f"alignment on {first['alignment_on']}"] if first["alignment_on"] else []),
        *fitted_on(table["fitted_on"]),
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
        st.caption(plain(f"The {len(kept.rows):,} pairs stay in their set; only the slice is deleted."))
        if st.button(f"Delete {plain(kept.name)}", key="slice.delete") and attempt(lambda: api.delete_slice(kept.name)):
            st.session_state["slice.next"] = ""
            st.rerun()
