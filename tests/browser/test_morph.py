"""The slider of linked views takes points from one encoder's picture to another's, in each way of drawing them."""

import numpy as np
import pytest

from experiments.canvas.page import SOFTWARE_WEBGL
from tests.browser.canvas_page import CanvasPage
from tests.browser.conftest import CHROMIUM
from tests.trial import until
from workbench.ui.canvas import Mark, Number, Rows, Scatter, Scene, Stop, Table


def moving(n, names=("A", "B")):
    """Points that stand at the left for the first name, and further right for each other one."""
    up = np.linspace(-1, 1, n)
    columns = [Number("y", "y", up), *(Number(f"x {at}", name, np.full(n, float(at))) for at, name in enumerate(names))]
    stops = tuple(
        Stop(f"x {at}", "y", name, (Mark(float(at), 0.0, "mean", start=(-1.0, 0.0)),)) for at, name in enumerate(names)
    )
    panels = (
        Scatter("rows", "x 0", "y", "Plane", equal=True, stops=stops, marks=stops[0].marks),
        Table("rows", ("y",), "Rows", sort="y"),
    )
    return Scene(f"moving {n}", (Rows("rows", "row", "rows", tuple(columns), ("y",)),), panels)


@pytest.fixture
def opened(browser):
    pages = []

    def make(made, in_browser=browser, **options):
        pages.append(CanvasPage(in_browser, made, **options))
        return pages[-1]

    yield make
    for canvas in pages:
        canvas.close()


@pytest.fixture(scope="module")
def webgl(browser):
    started = browser.browser_type.launch(executable_path=CHROMIUM, args=list(SOFTWARE_WEBGL))
    yield started
    started.close()


def middle(canvas):
    """Where a circle in the middle of the panel stands, in shares of its width."""
    plot = canvas.panel("Plane").locator(".plot")
    return float(plot.locator("circle").nth(30).get_attribute("cx")) / plot.bounding_box()["width"]


def test_a_slider_moves_points_marks_and_what_can_be_picked(opened):
    canvas = opened(moving(60))
    slider = canvas.page.get_by_role("slider")
    start = middle(canvas)
    assert slider.get_attribute("aria-valuetext") == "A"
    slider.fill("0.5")
    half = middle(canvas)
    assert slider.get_attribute("aria-valuetext") == "50 % of the way from A to B"
    canvas.page.get_by_role("button", name="B", exact=True).click()  # no motion is wanted here: at once
    end = middle(canvas)
    assert slider.get_attribute("aria-valuetext") == "B" and end > start
    assert half == pytest.approx((start + end) / 2, abs=0.002)
    arrow = canvas.panel("Plane").locator("line.arrow")
    left, _, width, height = canvas.box("Plane")
    assert float(arrow.get_attribute("x2")) / width == pytest.approx(end, abs=0.002)
    canvas.page.mouse.click(left + start * width, canvas.box("Plane")[1] + height / 2)
    assert canvas.counts()["Plane"] == 0, "nothing is where the points were"
    canvas.page.mouse.click(left + end * width, canvas.box("Plane")[1] + height / 2)
    assert canvas.counts()["Plane"] == 1
    slider.focus()
    canvas.page.keyboard.press("Home")
    assert middle(canvas) == pytest.approx(start) and canvas.counts()["Plane"] == 1


def test_it_glides_for_those_who_do_not_mind_and_stays_where_it_is_when_the_page_is_drawn_again(opened):
    canvas = opened(moving(60, names=("A", "B", "C")))
    canvas.page.emulate_media(reduced_motion="no-preference")
    start = middle(canvas)
    canvas.page.get_by_role("button", name="C", exact=True).click()
    canvas.page.wait_for_timeout(500)
    on_the_way = middle(canvas)
    slider = canvas.page.get_by_role("slider")
    until(lambda: slider.get_attribute("aria-valuetext") == "C", 10)
    assert start < on_the_way < middle(canvas)
    made = moving(60, names=("A", "B", "C"))
    canvas.show(Scene(made.identity, made.rows, made.panels[:1]))
    assert canvas.page.get_by_role("slider").get_attribute("aria-valuetext") == "C" and middle(canvas) > on_the_way


LEFT_AND_RIGHT = """canvas => {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const drawn = [0, 0];
  for (let at = 3; at < data.length; at += 4) if (data[at] > 20) drawn[+(((at >> 2) % width) > width / 2)]++;
  return drawn;
}"""


@pytest.mark.parametrize(("n", "painter"), [(3000, "webgl"), (210_000, "density")])
def test_it_does_so_in_every_way_of_drawing(opened, webgl, n, painter):
    canvas = opened(moving(n), webgl)
    assert canvas.painter("Plane") == painter
    points = canvas.panel("Plane").locator("canvas.points")

    def drawn_right():
        left, right = points.evaluate(LEFT_AND_RIGHT)
        return right / max(1, left + right)

    until(lambda: sum(points.evaluate(LEFT_AND_RIGHT)) > 50 and drawn_right() < 0.1, 15)
    canvas.panel("Rows").locator(".body .row").first.click()
    canvas.page.get_by_role("slider").fill("0.4")
    canvas.page.get_by_role("button", name="B", exact=True).click()
    until(lambda: drawn_right() > 0.9, 15)
    assert canvas.counts()["Plane"] == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(opened, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    canvas = opened(moving(60, names=("A", "B", "C")), theme=theme, width=420)
    violations = axe.run(canvas.page).response["violations"]
    assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in violations] == []
    assert canvas.page.evaluate("document.documentElement.scrollWidth") <= 420
