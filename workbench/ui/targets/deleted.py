"""Choices of targets after a run was deleted: it is no longer chosen."""

from collections.abc import Iterable

import streamlit as st

from workbench.store.names import runs_folder
from workbench.targets.target import split
from workbench.ui.kit.address import address_changed
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.words import join_names


def drop_deleted(key: str, known: Iterable[str]) -> None:
    """Take those runs out of the choice called `key` that this session saw in the folder and that are gone now, and name them.
    `known` are the targets that are offered.

    To be called before the field is drawn. What a link names is left to the page, since it may be a run of another machine.
    """
    held, there = st.session_state.get(key), set(runs_folder().newest_names())
    chosen: list[str] = [held] if isinstance(held, str) else list(held or [])
    seen: set[str] = st.session_state.get(f"{key}.seen", set())
    gone = [target for target in chosen if split(target).name in seen - there]
    st.session_state[f"{key}.seen"] = there & {split(target).name for target in (*chosen, *known)}
    if not gone or address_changed(key):
        _say_again(key)
        return
    labels: dict[str, str] = st.session_state.get(f"{key}.labels", {})
    if left := [target for target in chosen if target not in gone]:
        st.session_state[key] = left
    else:
        del st.session_state[key]  # the field starts again with the usual choice
    it_was = "it was" if len(gone) == 1 else "they were"
    said = f"No longer chosen, since {it_was} deleted: {join_names([labels.get(target, target) for target in gone])}."
    st.session_state[f"{key}.gone"] = said, st.session_state.get(key)
    quiet(said)


def _say_again(key: str) -> None:
    """Repeat what was said until the choice is changed: answers that come draw the page again before it is read."""
    noted, now = f"{key}.gone", st.session_state.get(key)
    if noted not in st.session_state:
        return
    said, chosen = st.session_state[noted]
    if chosen is None:  # the field has started again since
        st.session_state[noted] = said, now
    elif chosen != now:
        del st.session_state[noted]
        return
    quiet(said)
