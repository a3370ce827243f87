"""What this session has asked the compute process. Light: the frame of every page imports it, also where nothing is asked."""

import threading
import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.core.errors import WorkbenchError

if TYPE_CHECKING:
    from workbench import api

    Tickets = dict[str, api.Ticket[Any]]


AWAY_SECONDS = 30.0
"""How long the questions of a closed page go on: its connection may be back, and a page that is loaded again asks the same."""
_LEAVING: dict[str, threading.Timer] = {}
"""What will withdraw the questions of each session whose page is closed."""


def begin_asking() -> None:
    """Note from here on what the page asks, and what it sees without an answer."""
    asked().clear()
    seen_open().clear()
    name = session_name()
    _visit(name, tickets())
    if leaving := _LEAVING.pop(name, None):  # it is back
        leaving.cancel()


def session_name() -> str:
    """The name of this session."""
    return str(st.session_state.setdefault("session", uuid.uuid4().hex))


@dataclass(frozen=True)
class _Visit:
    """A session while its page is open."""

    session: str
    tickets: "Tickets"


def _closed(visit: _Visit) -> None:
    """Withdraw its questions after `AWAY_SECONDS`: others should not wait for answers that nobody reads."""
    leaving = threading.Timer(AWAY_SECONDS, _withdraw_all, [visit])
    leaving.daemon = True
    _LEAVING[visit.session] = leaving
    leaving.start()


def _withdraw_all(visit: _Visit) -> None:
    from workbench.verbs import VERBS

    _LEAVING.pop(visit.session, None)
    with suppress(WorkbenchError):  # the runs folder is gone, and the requests in it
        for ticket in [*visit.tickets.values()]:
            if ticket.number and not VERBS[ticket.verb].lasting and not ticket.poll(load=False).over:
                ticket.cancel()


@st.cache_resource(show_spinner=False, scope="session", on_release=_closed)
def _visit(name: str, _tickets: "Tickets") -> _Visit:
    """Streamlit releases what it keeps for a session as soon as its page is closed, and asks anew once that is back."""
    return _Visit(name, _tickets)


def make_way() -> None:
    """Withdraw quick questions that the page, now drawn whole, has not asked again, and set slow ones aside: its new ones should
    not wait for them.

    Slow ones go on when nobody looks at others, because whoever comes back would have to wait for them from the start.
    """
    answered, aside = answers().keys(), _aside()
    for name, ticket in list(tickets().items()):
        if name in asked() or not ticket.number or ticket.key in answered:
            continue
        with suppress(WorkbenchError):  # the page's own questions say what is wrong
            if ticket.quick:
                tickets().pop(name).cancel()
            elif name not in aside:
                ticket.set_aside()
                aside.add(name)
    aside -= asked()


def asked() -> set[str]:
    """The questions that the page has asked since it was last drawn from its top."""
    found: set[str] = st.session_state.setdefault("asked", set())
    return found


def _aside() -> set[str]:
    """The questions that are set aside."""
    found: set[str] = st.session_state.setdefault("aside", set())
    return found


def seen_open() -> set[str]:
    """The questions that had no answer yet when the page, since it was last drawn from its top, looked at them."""
    found: set[str] = st.session_state.setdefault("seen_open", set())
    return found


def tickets() -> "Tickets":
    """By question."""
    found: Tickets = st.session_state.setdefault("tickets", {})
    return found


def answers() -> "dict[str, api.Answer[Any]]":
    """By ticket."""
    found: dict[str, api.Answer[Any]] = st.session_state.setdefault("answers", {})
    return found
