"""Messages of a page: nothing to show, something went wrong, notes and figures."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

import streamlit as st

from workbench.core.discovery import left_out
from workbench.core.errors import WorkbenchError, sentence
from workbench.store.names import files_explained
from workbench.ui.kit.glossary import explained
from workbench.ui.kit.words import coded, html, plain

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

Given = ParamSpec("Given")


@contextmanager
def guarded(container: "DeltaGenerator | None" = None) -> Iterator[None]:
    """Show a `WorkbenchError` as one message with its way out, here or in `container`; so is a file of the runs folder that may
    not be read or written. Any other exception propagates.
    """
    try:
        with files_explained():
            yield
    except WorkbenchError as error:
        with container or nullcontext():
            trouble(error)


def fragment(run_every: float | None = None) -> Callable[[Callable[Given, None]], Callable[Given, None]]:
    """`st.fragment` for a part of a page, every `run_every` seconds too: what `run_page` does for the whole page, which is
    not run when only this part is.
    """

    def decorated(part: Callable[Given, None]) -> Callable[Given, None]:
        @wraps(part)
        def shown(*args: Given.args, **named: Given.kwargs) -> None:
            with guarded():
                part(*args, **named)

        return st.fragment(run_every=run_every)(shown)

    return decorated


def trouble(error: WorkbenchError | str) -> None:
    """One message: what is wrong, by which rule, and what to do."""
    if isinstance(error, str):
        st.error(plain(error))
        return
    details = (sentence("Got", error.got), sentence("Reason", error.reason))
    first = " ".join(plain(part) for part in (error.what, error.rule, *details) if part)
    st.error(f"{first}\n\n{plain(error.way_out)}" if error.way_out else first)


def name_left_out() -> None:
    """Each method of another package that cannot be used, with the reason."""
    for one in left_out():
        st.warning(plain(str(one)))


def empty(what: str, way_out: str = "") -> None:
    """An empty state and what to click to fill it. Both texts are escaped here."""
    st.html(f'<div class="notice"><p><strong>{html(what)}</strong></p><p>{coded(way_out)}</p></div>')


def lede(text: str) -> None:
    """The opening sentences of a page. `text` is trusted and may hold HTML."""
    st.html(f'<p class="lede">{text}</p>')


def quiet(text: str, explain: Collection[str] = ()) -> None:
    """A note in lighter weight. Escaped; text in backticks is set as code; for `explain` see `explained`."""
    st.html(f'<p class="quiet">{explained(coded(text), explain)}</p>')


def still(text: str) -> None:
    """What goes on while the page can be used already. Escaped; screen readers say it."""
    st.html(f'<p class="quiet still" role="status">{html(text)}</p>')


def part(title: str) -> None:
    """The title of a part of a page, small, over a rule. Escaped."""
    st.html(f'<h2 class="of">{html(title)}</h2>')


def footing(text: str, explain: Collection[str] = ()) -> None:
    """What stands below a figure or table: its data, its protocol. Escaped; for `explain` see `explained`."""
    st.html(f'<p class="footing">{explained(html(text), explain)}</p>')


def facts(pairs: dict[str, str], notes: dict[str, str] | None = None, explain: Collection[str] = ()) -> None:
    """Named figures side by side as far as the width allows; `notes` follow in lighter weight (an interval, n). For `explain` see
    `explained`.
    """
    notes = notes or {}
    cells = "".join(
        f'<div><div class="name">{html(name)}</div><div class="value">{html(value)}'
        + (f" <small>{html(notes[name])}</small>" if notes.get(name) else "")
        + "</div></div>"
        for name, value in pairs.items()
    )
    st.html(f'<div class="facts">{explained(cells, explain)}</div>')


def attempt(action: Callable[[], object], then: str = "") -> bool:
    """Carry out a button's action; confirm it briefly, or show what went wrong. True on success."""
    try:
        with files_explained():
            action()
    except WorkbenchError as error:
        trouble(error)
        return False
    if then:
        st.toast(plain(then))
    return True
