"""Choices that live in the address by their ids, so that a link opens the same view on any day and machine.

Streamlit's own binding writes what a choice is called on screen; names change, ids do not.
"""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from workbench.ui.words import plain


def choose(
    label: str,
    options: Sequence[str],
    *,
    key: str,
    start: str,
    shown: Callable[[str], str] = str,
    typed: bool = False,
    **said: Any,
) -> str:
    """One of the options; `typed` lets people write in another."""
    arrive(key, [start])
    options = _with_chosen(options, key, typed)
    taken = start if start in options else next(iter(options), None)
    if (asked := st.session_state.get(key)) not in options:
        st.session_state[key] = taken
        st.session_state[f"{key}.missed"] = asked or ""
    chosen = st.selectbox(
        label, options, key=key, format_func=shown, accept_new_options=typed, persist_state="session", **said
    )
    if chosen != taken:
        st.session_state.pop(f"{key}.missed", None)
    elif missed := st.session_state.get(f"{key}.missed"):
        st.warning(plain(f"There is no “{missed}” here: {shown(str(taken))} is taken in its place."))
    leave(key, [str(chosen)] if chosen else [])
    return str(chosen or "")


def follow(key: str, start: str) -> str:
    """`start`, for `choose`: as long as nobody has chosen otherwise, the choice changes with what it begins with."""
    offered = st.session_state.get(f"{key}.offered", start)
    if offered != start and st.session_state.get(key) == offered:
        st.session_state[key] = start
    st.session_state[f"{key}.offered"] = start
    return start


def choose_several(
    label: str,
    options: Sequence[str],
    *,
    key: str,
    start: Sequence[str],
    shown: Callable[[str], str] = str,
    **said: Any,
) -> list[str]:
    """Some of the options, or others written in."""
    arrive(key, start, several=True)
    options = _with_chosen(options, key, True)
    chosen = st.multiselect(
        label, options, key=key, format_func=shown, accept_new_options=True, persist_state="session", **said
    )
    leave(key, chosen)
    return list(chosen)


def choose_button(
    label: str, options: Sequence[str], *, key: str, start: str, shown: Callable[[str], str] = str, **said: Any
) -> str:
    """One of a few options, side by side."""
    arrive(key, [start])
    if st.session_state.get(key) not in options:
        st.session_state[key] = start
    chosen = st.segmented_control(
        label, options, key=key, format_func=shown, required=True, wrap=True, persist_state="session", **said
    )
    leave(key, [str(chosen)])
    return str(chosen)


def arrive(key: str, start: Sequence[str], *, several: bool = False) -> None:
    """Take over what the address says, unless this session wrote it there itself; else begin with `start`."""
    named = st.query_params.get_all(key)
    if named and named != st.session_state.get(f"address.{key}"):
        st.session_state[key] = named if several else named[0]
    elif key not in st.session_state:
        st.session_state[key] = list(start) if several else start[0]


def leave(key: str, chosen: Sequence[str]) -> None:
    """Write a choice into the address."""
    if st.query_params.get_all(key) != list(chosen):
        st.query_params[key] = list(chosen)
    st.session_state[f"address.{key}"] = list(chosen)


def _with_chosen(options: Sequence[str], key: str, typed: bool) -> list[str]:
    """The options and what was chosen besides, so that it is not dropped without a word."""
    chosen = st.session_state.get(key) or []
    besides = [chosen] if isinstance(chosen, str) else chosen
    return [*options, *(name for name in besides if typed and name not in options)]
