"""How the app looks: the style sheet, and which of the two themes the reader uses."""

import gc
import sys

import streamlit as st
from streamlit import runtime

from workbench import gate
from workbench.core.paths import shipped
from workbench.processes import sources
from workbench.ui.kit.ahead import STARTED_WITH

ICON = str(shipped("assets", "icon.svg"))
_SHEET = shipped("assets", "theme.css")


def apply_style() -> None:
    """Put the style sheet on the page."""
    st.html(_SHEET)


def refuse_ungated() -> None:
    """Show nothing if the page is served by another launcher than app.py, without the gate that asks for the token."""
    if _served() and not gate.is_installed():
        st.error("This page is served without the check for its token. Start it with python3 start.py or workbench.")
        st.stop()


def refuse_outdated() -> None:
    """Show nothing once the code on the disk is not what the server was started with.

    Streamlit reads pages anew, but not what they import: of two versions half each would run.
    """
    if _served() and sources.stamp() != STARTED_WITH:
        st.error(
            "The workbench has been updated, or its code edited, since this app was started. Stop the app where you started it "
            "(Ctrl-C), start it again, and reload this page: the address keeps what you chose, and runs go on meanwhile."
        )
        st.stop()


def _served() -> bool:
    """Whether there is a server: tests of pages serve nothing."""
    return runtime.exists() and type(runtime.get_instance()) is runtime.Runtime


def freeze_imports() -> None:
    """Exempt imported modules from garbage collection, whenever many more have been imported.

    Walking the objects of all modules takes 80 ms of each full collection, during which nothing is sent to anyone;
    modules never become garbage.
    """
    _freeze(len(sys.modules) // _MANY)


_MANY = 50
"""New modules that make it worthwhile."""


@st.cache_resource(show_spinner=False, max_entries=1)
def _freeze(modules: int) -> None:
    gc.freeze()


FRAMED = "framed"
"""Session key set by app.py through `enter_page`, for the page that it runs next."""


def require_frame() -> None:
    """Rerun a page through app.py if it was started without its frame.

    Until st.navigation has run once in a server, Streamlit treats any folder named pages as its older kind of multipage
    app and runs the page by itself, for every session opened in that moment.
    """
    from streamlit.runtime.pages_manager import PagesManager

    refuse_ungated()  # as with `streamlit run pages/home.py`
    # Per run of the script: another session may be the first to turn the older way off.
    if not st.session_state.pop(FRAMED, False):
        PagesManager.uses_pages_directory = False
        st.rerun()


def dark() -> bool:
    """Whether the reader's theme is dark, as of this rerun; a change of the system's brings one (assets/recolouring.js)."""
    return st.context.theme.type == "dark"
