"""The early end of a page. After Streamlit's own, nothing more can be said in that run, by the frame of the page neither."""

from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from workbench.ui.kit.notices import guarded


class PageEndedError(Exception):
    """The page is over; the frame goes on."""


def end_page() -> NoReturn:
    """Show nothing more of this page.

    Raises:
        PageEndedError: always; `run_page` catches it.
    """
    raise PageEndedError


def run_page(page: Callable[[], None]) -> None:
    """Show a page, whole or as far as it goes; then what a `WorkbenchError` says that nothing in it has caught."""
    with suppress(PageEndedError), guarded():
        page()
