"""What this session has asked the compute process. Light: the frame of every page imports it, also where nothing is asked."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.core.errors import WorkbenchError

if TYPE_CHECKING:
    from workbench import api


def begin_asking() -> None:
    """Note from here on what the page asks, and what it sees without an answer."""
    asked().clear()
    seen_open().clear()


def withdraw_left() -> None:
    """Withdraw quick questions that the page, now drawn whole, has not asked again: its new ones should not wait for them.

    Slow ones go on, because whoever comes back would have to wait for them from the start.
    """
    answered = answers().keys()
    for name, ticket in list(tickets().items()):
        if name not in asked() and ticket.quick and ticket.number and ticket.key not in answered:
            with suppress(WorkbenchError):  # the page's own questions say what is wrong
                tickets().pop(name).cancel()


def asked() -> set[str]:
    """The questions that the page has asked since it was last drawn from its top."""
    found: set[str] = st.session_state.setdefault("asked", set())
    return found


def seen_open() -> set[str]:
    """The questions that had no answer yet when the page, since it was last drawn from its top, looked at them."""
    found: set[str] = st.session_state.setdefault("seen_open", set())
    return found


def tickets() -> "dict[str, api.Ticket[Any]]":
    """By question."""
    found: dict[str, api.Ticket[Any]] = st.session_state.setdefault("tickets", {})
    return found


def answers() -> "dict[str, api.Answer[Any]]":
    """By ticket."""
    found: dict[str, api.Answer[Any]] = st.session_state.setdefault("answers", {})
    return found
