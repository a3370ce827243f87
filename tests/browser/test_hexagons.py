"""Scatter plots of many pairs: hexagons count them, a selection works as elsewhere, and histograms stand along two sides."""

import numpy as np
import pytest

from tests.browser.canvas_page import CanvasPage
from tests.trial import until
from workbench.ui.canvas import Histogram, Number, Rows, Scatter, Scene

N = 5200


def many(hexagons=5000, n=N):
    """Pairs of four gold scores, a quarter each, whose cosines rise with them."""
    gold = np.repeat([0.0, 1.0, 2.0, 3.0], n // 4)
    cosine = gold / 4 + np.tile(np.linspace(0, 0.2, n // 4), 4)
    rows = Rows(
        "pairs",
        "pair",
        "pairs",
        (
            Number("gold", "Gold", gold),
            Number("cosine", "Cosine", cosine),
            Number("residual", "Residual", np.linspace(-1, 1, n), diverging=True),
        ),
        ("gold", "cosine"),
    )
    gold_scatter = Scatter("pairs", "gold", "cosine", "Agreement", hexagons=hexagons, marginals=True)
    return Scene(
        f"many {n}",
        (rows,),
        (gold_scatter, Histogram("pairs", "gold", "Golds", bins=4)),
        colours=(("gold", "gold"), ("residual", "residual")),
    )


@pytest.fixture
def opened(browser):
    pages = []

    def make(made, **options):
        pages.append(CanvasPage(browser, made, **options))
        return pages[-1]

    yield make
    for canvas in pages:
        canvas.close()


def test_hexagons_count_and_a_lasso_or_a_click_selects_what_is_in_them(opened):
    canvas = opened(many())
    assert canvas.painter("Agreement") == "hexagons"
    shades = canvas.panel("Agreement").locator(".shades")
    until(lambda: "darker with more pairs; the fullest has " in shades.inner_text(), 5)
    canvas.page.get_by_role("radio", name="Box").click()
    canvas.drag("Agreement", (0.02, 0.02), (0.35, 0.98))
    chosen = canvas.chosen()
    assert chosen.mask[: N // 4].all() and not chosen.mask[N // 2 :].any()
    until(lambda: canvas.panel("Agreement").locator(".marginals .some").count() > 0, 5)
    canvas.page.get_by_role("button", name="Clear").click()
    canvas.chosen()
    axis = [text for text in canvas.panel("Agreement").locator(".axes text").all() if text.inner_html() == "3"]
    left, top, _, height = canvas.box("Agreement")
    right_most = float(axis[0].get_attribute("x"))
    for share in np.linspace(0.05, 0.6, 12):
        canvas.page.mouse.move(left + right_most, top + share * height)
        tooltip = canvas.panel("Agreement").locator(".tooltip")
        if tooltip.is_visible() and "pairs" in tooltip.inner_text():
            break
    number = int(tooltip.inner_text().split(" ")[0].replace(",", ""))
    canvas.page.mouse.down()
    canvas.page.mouse.up()
    clicked = canvas.chosen()
    assert clicked.mask.sum() == number > 1 and clicked.mask[3 * N // 4 :].sum() == number
    canvas.page.mouse.down()
    canvas.page.mouse.up()
    assert canvas.counts()["Agreement"] == number


COLOURS = """canvas => {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const sums = [[0, 0, 0, 0], [0, 0, 0, 0]];
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] < 100) continue;
    const sum = sums[+(((at >> 2) % width) > width / 2)];
    for (let part = 0; part < 3; part++) sum[part] += data[at + part];
    sum[3]++;
  }
  return sums.map(([red, , blue, n]) => (red - blue) / n);
}"""


def test_with_a_residual_as_the_colour_they_have_its_mean(opened):
    canvas = opened(many())
    points = canvas.panel("Agreement").locator("canvas.points")
    canvas.page.get_by_role("combobox", name="Colour").select_option("residual")
    until(lambda: "mean colour" in canvas.panel("Agreement").locator(".shades").inner_text(), 5)
    left, right = points.evaluate(COLOURS)
    assert left < -30 and right > 30, "blue where residuals are below 0, orange where they are above"


def test_few_pairs_are_points_with_the_same_histograms(opened):
    canvas = opened(many(n=400))
    assert canvas.painter("Agreement") == "svg" and canvas.panel("Agreement").locator(".shades").count() == 0
    marginals = canvas.panel("Agreement").locator(".marginals")
    heights = [float(bar.get_attribute("height")) for bar in marginals.locator("rect").all()]
    assert heights.count(30.0) == 4, "four gold scores, a quarter of the pairs each"
    canvas.panel("Golds").locator(".plot").focus()
    canvas.page.keyboard.press("ArrowRight")
    canvas.page.keyboard.press("Enter")
    assert canvas.chosen().mask.sum() == 100 and marginals.locator(".some").count() > 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(opened, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    canvas = opened(many(), theme=theme)
    violations = axe.run(canvas.page).response["violations"]
    assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in violations] == []
