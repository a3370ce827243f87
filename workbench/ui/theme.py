"""How the app looks: one style sheet, and which of the two themes the reader has."""

import gc
import sys

import streamlit as st
from streamlit import runtime

from workbench import gate
from workbench.core.paths import shipped

ICON = str(shipped("assets", "icon.svg"))
_SHEET = shipped("assets", "theme.css")


def dress() -> None:
    """Put the style sheet on the page."""
    st.html(_SHEET)


def refuse_ungated() -> None:
    """Show nothing where the page is served by another launcher than app.py, without the gate that asks for the token."""
    served = runtime.exists() and type(runtime.get_instance()) is runtime.Runtime  # a test of pages serves nothing
    if served and not gate.is_installed():
        st.error("This page is served without the check for its token. Start it with: python3 start.py")
        st.stop()


def set_aside_imports() -> None:
    """Take what was imported out of the garbage collector's sight, whenever a good deal more was imported.

    Going through the objects of all modules takes 80 ms of each whole collection, in which nothing is sent to anybody;
    modules never become garbage.
    """
    _set_aside(len(sys.modules) // _MANY)


_MANY = 50
"""Modules that make it worth while."""


@st.cache_resource(show_spinner=False, max_entries=1)
def _set_aside(modules: int) -> None:
    gc.freeze()


FRAMED = "framed"
"""Set by app.py, by way of `enter`, for the page that it runs next."""


def framed() -> None:
    """Hand a page that runs without its frame to app.py.

    Until st.navigation has run once in a server, Streamlit takes any folder named pages for its older way of paging and
    runs the page by itself, for every session that is opened in that moment.
    """
    from streamlit.runtime.pages_manager import PagesManager

    refuse_ungated()  # as with `streamlit run pages/home.py`
    # Of this run: another session may be the first to turn the older way off.
    if not st.session_state.pop(FRAMED, False):
        PagesManager.uses_pages_directory = False
        st.rerun()


def dark() -> bool:
    """Whether the reader's theme is dark. It may lag one rerun behind; plots carry their own ground, so they stay legible."""
    return st.context.theme.type == "dark"
