"""Calls that Streamlit makes while the script of a view is still being loaded: it ends each that a rerun overtook."""

import pytest

from tests.browser.canvas_page import CanvasPage
from tests.browser.test_hexagons import many


@pytest.fixture
def canvas(browser):
    opened = CanvasPage(browser, many(n=400))
    yield opened
    opened.close()


def test_the_end_of_an_overtaken_call_leaves_the_views_of_the_next_one(canvas):
    """Both are made as soon as the script is there; then the first is ended."""
    canvas.page.evaluate("void (window.first = window.stop)")
    canvas.show(many(n=800))
    canvas.page.evaluate("window.first()")
    assert canvas.page.locator(".panel").count() == 2
    canvas.page.evaluate("window.stop()")
    assert canvas.page.locator(".panel").count() == 0
    canvas.show(many(n=400))
    assert canvas.page.locator(".panel").count() == 2
