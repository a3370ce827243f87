"""Calls that Streamlit makes while the script of a view is still being loaded: it ends each that a rerun overtook."""

import pytest

from tests.browser.canvas_page import CanvasPage
from tests.browser.test_hexagons import many
from tests.run_folders import film_run, make_run
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


@pytest.mark.parametrize(
    ("name", "script", "data", "drawn"),
    [
        ("film", film.script, film_data, "#film canvas"),
        ("lesson", lesson.script, lambda _: read(), "#lesson .step h2"),
    ],
    ids=["film", "lesson"],
)
def test_the_end_of_an_overtaken_call_leaves_a_film_and_a_lesson(page, folder, name, script, data, drawn):
    page.evaluate(BOTH_CALLS, [name, script(), tables_script(), data(folder)])
    view = page.locator(drawn).first
    view.wait_for()
    page.evaluate("window.ends[0]()")
    assert view.is_visible()
    page.evaluate("window.ends[1]()")
    assert page.evaluate("name => document.getElementById(name)[name] === undefined", name)
