"""Calls that Streamlit makes while the script of a view is still being loaded: it ends each that a rerun overtook."""

import pytest

from tests.browser.canvas_page import CanvasPage
from tests.browser.test_hexagons import many
from tests.run_folders import film_run, make_run
from tests.trial import until
from workbench.core.html_file import tables_script
from workbench.film import document as film
from workbench.film.tables import film_tables
from workbench.lesson import document as lesson
from workbench.lesson.words import read

BOTH_CALLS = """async ([name, script, library, data]) => {
    const module = URL.createObjectURL(new Blob([`${library}\\n${script}`], { type: "text/javascript" }));
    const show = (await import(module)).default;
    document.body.innerHTML = `<div id="${name}"></div>`;
    const given = { parentElement: document.body, setStateValue() {}, setTriggerValue() {} };
    const changed = { ...data, stamp: "another" };
    window.ends = [show({ data, ...given }), show({ data: changed, ...given })];
}"""
"""Mounts a component of that name twice, as Streamlit does, and keeps what ends each call."""


@pytest.fixture
def canvas(browser):
    opened = CanvasPage(browser, many(n=400))
    yield opened
    opened.close()


@pytest.fixture
def page(browser):
    context = browser.new_context(reduced_motion="reduce")
    yield context.new_page()
    context.close()


def film_data(folder):
    return film.data(film_tables(film_run(make_run(folder), sentences=60)))


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


def narrower(page):
    page.set_viewport_size({"width": 500, "height": 900})


def onwards(page):
    page.evaluate("document.querySelector('#lesson').classList.add('projector')")  # where it follows the keys
    page.keyboard.press("PageDown")


@pytest.mark.parametrize(
    ("name", "script", "data", "change", "shown"),
    [
        ("film", film.script, film_data, narrower, "document.querySelector('#film canvas').width"),
        ("lesson", lesson.script, lambda _: read(), onwards, "document.querySelector('#lesson .step h2').innerText"),
    ],
    ids=["film", "lesson"],
)
def test_the_end_of_an_overtaken_call_leaves_a_film_and_a_lesson(page, folder, name, script, data, change, shown):
    """One that has ended still stands on the page, but no longer follows its size, or the keys."""
    page.evaluate(BOTH_CALLS, [name, script(), tables_script(), data(folder)])
    page.wait_for_timeout(300)
    page.evaluate("window.ends[0]()")
    before = page.evaluate(shown)
    change(page)
    until(lambda: page.evaluate(shown) != before, 5)
    page.evaluate("window.ends[1]()")
    assert page.evaluate("name => document.getElementById(name)[name] === undefined", name)
