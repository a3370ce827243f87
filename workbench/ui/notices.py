"""What a page says when there is nothing to show, something to wait for, or something wrong."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from workbench.core.discovery import left_out
from workbench.core.errors import WorkbenchError
from workbench.ui.words import coded, html, plain


@contextmanager
def guarded() -> Iterator[None]:
    """Shows a mistake of the user's as one message with the way out. All other errors stay errors."""
    try:
        yield
    except WorkbenchError as error:
        trouble(error)


def trouble(error: WorkbenchError | str) -> None:
    """One message: what is wrong, by which rule, and what to do."""
    if isinstance(error, str):
        st.error(plain(error))
        return
    got = f"Got: {error.got}." if error.got else ""
    reason = f"Reason: {error.reason}." if error.reason else ""
    first = " ".join(plain(part) for part in (error.what, error.rule, got, reason) if part)
    st.error(f"{first}\n\n{plain(error.way_out)}" if error.way_out else first)


def name_left_out() -> None:
    """Each method of another package that cannot be used, with the reason."""
    for one in left_out():
        st.warning(plain(str(one)))


def empty(what: str, way_out: str = "") -> None:
    """A place that has nothing yet, and what to click to fill it. Both texts are ours or escaped here."""
    st.html(f'<div class="notice"><p><strong>{html(what)}</strong></p><p>{coded(way_out)}</p></div>')


def lede(text: str) -> None:
    """The opening sentences of a page. `text` is ours and may hold HTML."""
    st.html(f'<p class="lede">{text}</p>')


def quiet(text: str) -> None:
    """A note in lighter weight. Escaped; what stands in backticks is set as code."""
    st.html(f'<p class="quiet">{coded(text)}</p>')


def facts(pairs: dict[str, str], notes: dict[str, str] | None = None) -> None:
    """Figures with their names, side by side as far as the width allows; the interval or n in lighter weight behind."""
    notes = notes or {}
    cells = "".join(
        f'<div><div class="name">{html(name)}</div><div class="value">{html(value)}'
        + (f" <small>{html(notes[name])}</small>" if notes.get(name) else "")
        + "</div></div>"
        for name, value in pairs.items()
    )
    st.html(f'<div class="facts">{cells}</div>')


def attempt(action: Callable[[], object], then: str = "") -> bool:
    """Do what a button asks; say so briefly, or show what was wrong. True if it went well."""
    try:
        action()
    except WorkbenchError as error:
        trouble(error)
        return False
    if then:
        st.toast(plain(then))
    return True
