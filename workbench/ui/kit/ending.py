"""The early end of a page. After Streamlit's own, nothing more can be said in that run, by the frame of the page neither."""

from typing import NoReturn


class PageEndedError(Exception):
    """The page is over; the frame goes on."""


def end_page() -> NoReturn:
    """Show nothing more of this page.

    Raises:
        PageEndedError: always; app.py catches it.
    """
    raise PageEndedError
