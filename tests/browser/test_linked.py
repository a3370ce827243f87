"""Linked views: a selection made anywhere is marked everywhere, by mouse and by keys, with and without WebGL."""

import time
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from experiments.bench.canvas import measured, scene_of
from experiments.bench.summaries import summary
from experiments.canvas.page import SOFTWARE_WEBGL
from tests.browser.canvas_page import CanvasPage
from tests.browser.conftest import CHROMIUM
from tests.trial import until
from tests.ui.canvas.trial import column, scene
from workbench.data.demo import pairs
from workbench.ui.canvas import Buckets, Category, Chosen, Scatter

ACTIVE = "document.getElementById('host').shadowRoot.activeElement"
PAIR_PANELS = ("Agreement", "Golds", "Residuals", "Pairs")


@pytest.fixture
def opened(browser):
    """Opens scenes, and closes them at the end."""
    pages = []

    def make(made, in_browser=browser, **options):
        pages.append(CanvasPage(in_browser, made, **options))
        return pages[-1]

    yield make
    for canvas in pages:
        canvas.close()


@pytest.fixture(scope="module")
def webgl(browser):
    """A browser with WebGL, by software."""
    started = browser.browser_type.launch(executable_path=CHROMIUM, args=list(SOFTWARE_WEBGL))
    yield started
    started.close()


@pytest.fixture(scope="module")
def plain(browser):
    """A browser without WebGL."""
    started = browser.browser_type.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-3d-apis"])
    yield started
    started.close()


def check(canvas, rows, mask):
    """Every panel marks those rows, or the ones that belong to them, and Python is sent the same."""
    chosen = Chosen(rows, np.asarray(mask))
    pairs, sentences = (int(chosen.of(canvas.scene, kind).sum()) for kind in ("pairs", "sentences"))
    assert canvas.counts() == {"Plane": sentences, **dict.fromkeys(PAIR_PANELS, pairs)}
    sent = canvas.chosen()
    assert (sent.rows, sent.mask.tolist()) == (rows, chosen.mask.tolist())


def test_a_lasso_around_sentences_marks_their_pairs(opened):
    canvas = opened(scene())
    canvas.drag("Plane", (0, 0), (0.5, 0), (0.5, 1), (0, 1))
    xs = column(canvas.scene, "sentences", "x")
    chosen = canvas.chosen()
    assert chosen.rows == "sentences"
    middle = (xs.min() + xs.max()) / 2
    near = np.abs(xs - middle) < 0.02
    assert (chosen.mask == (xs < middle))[~near].all() and 20 < chosen.mask.sum() < 60
    canvas.drag("Plane", (0, 0), (0.5, 0), (0.5, 1), (0, 1))
    check(canvas, "sentences", chosen.mask)


def test_a_box_around_pairs_marks_their_sentences_and_keys_change_it(opened):
    canvas = opened(scene())
    canvas.page.get_by_role("radio", name="Box").click()
    canvas.drag("Agreement", (0.05, 0.01), (0.55, 0.99))
    gold = column(canvas.scene, "pairs", "gold")
    first = canvas.chosen()
    assert first.rows == "pairs" and first.mask[gold < 2].all() and not first.mask[gold > 3].any()
    canvas.drag("Agreement", (0.5, 0.01), (0.99, 0.99), keys=["Shift"])
    check(canvas, "pairs", np.ones(40, dtype=bool))
    canvas.drag("Agreement", (0.05, 0.01), (0.55, 0.99), keys=["Alt"])
    check(canvas, "pairs", ~first.mask)


def test_a_brush_over_a_histogram_selects_a_range(opened):
    canvas = opened(scene())
    canvas.drag("Golds", (0.97, 0.5), (0.75, 0.5))
    chosen = canvas.chosen()
    gold = column(canvas.scene, "pairs", "gold")
    assert chosen.mask.any() and chosen.mask.tolist() == (gold >= gold[chosen.mask].min()).tolist()
    canvas.drag("Golds", (0.97, 0.5), (0.75, 0.5))
    check(canvas, "pairs", chosen.mask)


def test_a_row_of_the_table_a_point_and_an_entry_of_the_legend_select(opened):
    canvas = opened(scene())
    canvas.panel("Pairs").locator(".body .row").nth(2).click()
    check(canvas, "pairs", np.arange(40) == 2)
    canvas.panel("Pairs").locator(".body .row").nth(4).click(modifiers=["Shift"])
    check(canvas, "pairs", np.isin(np.arange(40), [2, 4]))
    canvas.page.get_by_role("button", name="Invert").click()
    check(canvas, "pairs", ~np.isin(np.arange(40), [2, 4]))
    canvas.page.get_by_role("button", name="Clear").click()
    assert canvas.chosen() is None and set(canvas.counts().values()) == {0}
    circle = canvas.panel("Agreement").locator("svg.points circle").nth(7)
    canvas.box("Agreement")
    spot = circle.bounding_box()
    canvas.page.mouse.click(spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2)
    check(canvas, "pairs", np.arange(40) == 7)
    canvas.page.get_by_role("button", name="caption").click()
    check(canvas, "pairs", np.ones(40, dtype=bool))  # the first sentence of each pair is a caption


def test_filters_are_combined_with_shift_and_alt(opened):
    canvas = opened(scene())
    canvas.drag("Golds", (0.97, 0.5), (0.75, 0.5))
    high = canvas.chosen().mask
    canvas.page.get_by_role("combobox", name="Colour").select_option("gold")
    canvas.drag("Residuals", (0.1, 0.5), (0.5, 0.5), keys=["Shift", "Alt"])
    both = canvas.chosen().mask
    canvas.drag("Residuals", (0.1, 0.5), (0.5, 0.5))
    low = canvas.chosen().mask
    assert 0 < both.sum() < high.sum() and both.tolist() == (high & low).tolist()
    canvas.drag("Golds", (0.97, 0.5), (0.75, 0.5), keys=["Shift", "Alt"])
    check(canvas, "pairs", both)


def test_search_selects_by_words_and_by_a_pattern_and_no_text_is_markup(opened):
    canvas = opened(scene())
    rows = np.arange(80)
    field = canvas.page.get_by_role("searchbox")
    field.fill("is WET")
    field.press("Enter")
    check(canvas, "sentences", rows % 4 == 0)
    canvas.page.get_by_label("regex").check()
    field.fill("^sentence [12] ")
    field.press("Enter")
    check(canvas, "sentences", np.isin(rows, [1, 2]))
    field.fill("(")
    field.press("Enter")
    assert "Not a regular expression" in canvas.page.get_by_role("status").inner_text()
    canvas.panel("Pairs").locator(".body .row").first.hover()
    assert canvas.panel("Pairs").locator("b").count() == 0
    assert "<b>0</b>" in canvas.panel("Pairs").locator(".body .row").first.inner_text()
    until(lambda: canvas.page.locator(".ring").count() == 3, 5)  # the pair, and its two sentences


def test_words_that_only_one_sentence_of_a_pair_has_are_underlined_beside_its_point(opened):
    canvas = opened(scene())
    canvas.box("Agreement")
    spot = canvas.panel("Agreement").locator("svg.points circle").nth(2).bounding_box()
    canvas.page.mouse.move(spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2)
    beside = canvas.panel("Agreement").locator(".tooltip")
    assert beside.locator("u").all_inner_texts() == ["4", "wet", "<b>4</b>", "5", "dry", "<b>5</b>"]


def test_all_of_it_by_the_keyboard_alone(opened):
    canvas = opened(scene())
    press = canvas.page.keyboard.press

    def tab_to(name):
        for _ in range(40):
            press("Tab")
            here = canvas.page.evaluate(f"{ACTIVE}?.getAttribute('aria-label') ?? ''")
            if here.startswith(name):
                outline = canvas.page.evaluate(f"getComputedStyle({ACTIVE}).outlineStyle")
                assert outline == "solid", "one sees where the keyboard is"
                return
        raise AssertionError(f"{name} has no tab stop")

    tab_to("Plane: 80 points")
    press("ArrowRight")
    press("Enter")
    first = canvas.chosen()
    assert first.rows == "sentences" and first.mask.sum() == 1
    for _ in range(3):
        press("Shift+ArrowRight")
    grown = canvas.chosen()
    xs = column(canvas.scene, "sentences", "x")
    assert 2 <= grown.mask.sum() <= 4 and grown.mask[first.mask].all()
    assert xs[grown.mask].min() == xs[first.mask][0], "it went to the right"
    assert "Sentence" in canvas.panel("Plane").locator("[aria-live]").inner_text()
    press("Escape")
    assert canvas.chosen() is None
    tab_to("Golds")
    press("ArrowRight")
    press("Shift+ArrowRight")
    gold = column(canvas.scene, "pairs", "gold")
    check(canvas, "pairs", gold < 1)
    press("Escape")
    assert canvas.chosen() is None
    tab_to("Pairs")
    press("ArrowDown")
    press("ArrowDown")
    press("Enter")
    check(canvas, "pairs", np.arange(40) == 1)
    press("Shift+ArrowDown")
    check(canvas, "pairs", np.isin(np.arange(40), [1, 2]))


def test_an_outline_by_keys_selects_what_lies_inside(opened):
    canvas = opened(scene())
    plot, press = canvas.panel("Plane").locator(".plot"), canvas.page.keyboard.press
    live = canvas.panel("Plane").locator("[aria-live]")

    def go(**steps):
        for key, count in steps.items():
            for _ in range(count):
                press(f"Arrow{key}")

    canvas.page.keyboard.press("Tab")
    plot.focus()
    assert "L begins an outline" in plot.get_attribute("aria-label")
    assert canvas.panel("Plane").locator(".keys").is_visible(), "who goes by keys reads what they do"
    press("l")
    go(Left=10, Up=10)
    press(" ")
    go(Right=10)
    press(" ")
    press(" ")
    press("Backspace")
    go(Down=20)
    assert "inside" in live.inner_text()
    press("Shift+ArrowLeft")
    press("Shift+ArrowRight")
    press(" ")
    go(Left=10)
    press("Enter")
    chosen = canvas.chosen()
    xs = column(canvas.scene, "sentences", "x")
    middle = (xs.min() + xs.max()) / 2
    near = np.abs(xs - middle) < 0.05
    assert (chosen.mask == (xs < middle))[~near].all(), "the left half, its corners set by keys"
    assert canvas.counts()["Agreement"] == chosen.of(canvas.scene, "pairs").sum()
    assert live.inner_text() == f"{chosen.mask.sum()} sentences inside."
    press("l")
    press(" ")
    press("Enter")
    assert "three corners" in live.inner_text()
    press("Escape")
    assert "dropped" in live.inner_text() and canvas.counts()["Plane"] == chosen.mask.sum()
    canvas.page.get_by_role("radio", name="Box").click()
    plot.focus()
    press("l")
    go(Right=10, Up=10)
    press(" ")
    go(Left=10, Down=20)
    press("Shift+Enter")
    assert canvas.counts()["Plane"] >= chosen.mask.sum() + (xs > middle + 0.1).sum(), "a box by its corners, added"


def test_panels_and_columns_of_several_encoders_name_each_of_them_once(opened):
    made = scene()
    name = "simcse-unsup-mini-mlm-s0-a851"
    owned = {"cosine": "mini-mlm", "residual": name}
    kinds = tuple(
        replace(kind, columns=tuple(replace(one, of=owned.get(one.name, "")) for one in kind.columns))
        for kind in made.rows
    )
    table = replace(made.panels[4], columns=("first", "second", "gold", "cosine", "residual"))
    canvas = opened(replace(made, rows=kinds, panels=(replace(made.panels[1], of=name), table)))
    panel = canvas.panel(f"Agreement: {name}")
    assert panel.get_by_role("heading").inner_text() == "Agreement" and panel.locator(".of").inner_text() == name
    grid = canvas.panel("Pairs").get_by_role("grid")
    assert [part.inner_text() for part in grid.locator(".owner").all()] == ["mini-mlm", name]
    names = [cell.inner_text() for cell in grid.get_by_role("columnheader").all()]
    assert names == ["First", "Second", "Gold", "Cosine", "Residual"]
    grid.get_by_role("button", name=f"Residual: {name}").click()
    ends = grid.locator(".owner").nth(1).bounding_box(), grid.get_by_role("columnheader").nth(4).bounding_box()
    assert ends[0]["x"] == pytest.approx(ends[1]["x"], abs=1) and canvas.errors == []


def test_bars_have_a_table_whose_rows_select_what_they_do(opened):
    fifths = Category("fifth", "Fifth", [f"{row // 8}" for row in range(40)], order=tuple("01234"))
    made = scene()
    kinds = (replace(made.rows[0], columns=(*made.rows[0].columns, fifths)), made.rows[1])
    bars = Buckets("pairs", "cosine", "fifth", "Fifths", x_label="Fifth", y_label="Cosine", bins=8, limits=(0, 1))
    canvas = opened(replace(made, rows=kinds, panels=(made.panels[2], bars)))
    gold = column(canvas.scene, "pairs", "gold")
    for title in ("Golds", "Fifths"):
        canvas.panel(title).get_by_role("button", name=f"Table: {title}").click()
        assert not canvas.panel(title).locator(".plot").is_visible()
    golds, fifths = (canvas.panel(title).get_by_role("grid") for title in ("Golds", "Fifths"))
    assert golds.get_by_role("columnheader").all_inner_texts() == ["From", "To", "Pairs", "Selected"]
    lines = [row.inner_text().split() for row in golds.locator(".body .row").all()]
    assert sum(int(line[2]) for line in lines) == 40 and all(line[3] == "0" for line in lines)
    golds.locator(".body .row").nth(1).click()
    chosen = canvas.chosen().mask
    assert chosen.sum() == int(lines[1][2]) and gold[chosen].min() >= float(lines[1][0])
    golds.focus()
    press = canvas.page.keyboard.press
    press("Home")
    press("Enter")
    press("Shift+ArrowDown")
    press("Shift+ArrowDown")
    assert canvas.chosen().mask.sum() == sum(int(line[2]) for line in lines[:3])
    assert golds.locator("[aria-selected=true]").count() == 3
    press("Escape")
    assert canvas.chosen() is None
    fifths.locator(".whole").nth(4).click()
    assert canvas.chosen().mask.tolist() == [row >= 32 for row in range(40)]
    words = fifths.locator(".whole").nth(4).inner_text().split()
    assert words == ["4,", "all:", "quartiles", *quartiles(canvas), "8", "8"]
    table = pd.read_csv(saved(canvas, "Golds", "CSV"))
    assert table["rows"].sum() == 40 and "Gold score" in saved(canvas, "Golds", "SVG").read_text()
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    assert [rule["id"] for rule in axe.run(canvas.page).response["violations"]] == []
    canvas.page.get_by_role("combobox", name="Colour").select_option("gold")
    canvas.show(replace(canvas.scene, across=3))
    assert golds.is_visible(), "another scene of the same panels keeps them"
    canvas.panel("Golds").get_by_role("button", name="Table: Golds").click()
    assert canvas.panel("Golds").locator(".plot").is_visible()


def quartiles(canvas):
    """Of the cosines of the last eight pairs, as the table writes them."""
    values = [f"{value:.2f}" for value in np.quantile(column(canvas.scene, "pairs", "cosine")[32:], [0.25, 0.5, 0.75])]
    return [f"{values[0]},", f"{values[1]},", values[2]]


def test_a_selection_lasts_through_a_rerun_and_other_colours_but_not_other_pairs(opened):
    canvas = opened(scene())
    chosen = Chosen("pairs", np.arange(40) < 3)
    canvas.show(scene(), selected={**chosen.written("made up 40 0"), "stamp": "one"})
    assert canvas.counts()["Plane"] == 6 and canvas.chosen().mask.tolist() == chosen.mask.tolist()
    canvas.panel("Pairs").locator(".body .row").nth(5).click()
    canvas.show(
        scene(), selected={**chosen.written("made up 40 0"), "stamp": "one"}
    )  # a rerun does not take the reader's choice back
    check(canvas, "pairs", np.arange(40) == 5)
    canvas.page.get_by_role("combobox", name="Colour").select_option("gold")
    other = scene(panels=(Scatter("pairs", "gold", "residual", "Other"),))
    canvas.show(other)
    assert (
        canvas.counts() == {"Other": 1} and canvas.page.get_by_role("combobox", name="Colour").input_value() == "gold"
    )
    canvas.show(scene(30, seed=1))
    assert set(canvas.counts().values()) == {0}


def test_a_selection_that_python_has_not_heard_of_outlasts_other_panels_and_the_canvas(opened):
    canvas, other = opened(scene()), scene(panels=(Scatter("pairs", "gold", "residual", "Other"),))
    canvas.panel("Pairs").locator(".body .row").nth(5).click()
    canvas.show(other)
    assert canvas.counts() == {"Other": 1}
    assert canvas.chosen().mask.tolist() == (np.arange(40) == 5).tolist()
    canvas.page.get_by_role("button", name="Invert").click()
    canvas.page.evaluate("window.stop()")
    canvas.show(other)
    assert canvas.counts() == {"Other": 39}
    assert canvas.chosen().mask.tolist() == (np.arange(40) != 5).tolist()
    canvas.page.get_by_role("button", name="Clear").click()
    canvas.page.wait_for_function("window.sent")
    canvas.page.evaluate("window.sent = undefined")  # told to what is gone
    canvas.show(other)
    assert canvas.chosen() is None
    canvas.show(other)
    canvas.page.wait_for_timeout(400)
    assert canvas.page.evaluate("window.sent") is None, "what Python has drawn is not told again"


def test_panels_of_one_group_move_together(opened):
    panels = [
        Scatter("sentences", "x", "y", title, group=group) for title, group in (("A", "g"), ("B", "g"), ("C", ""))
    ]
    canvas = opened(scene(panels=tuple(panels)))

    def positions():
        return {title: canvas.panel(title).locator("circle").first.get_attribute("cx") for title in "ABC"}

    before = positions()
    canvas.panel("A").get_by_role("button", name="Zoom in").click()
    after = positions()
    assert after["A"] != before["A"] and after["B"] != before["B"] and after["C"] == before["C"]
    canvas.panel("B").get_by_role("button", name="Show all").click()
    assert positions() == before


def test_without_webgl_a_few_points_are_circles_and_many_a_density(opened, plain):
    few, many = opened(scene(1000), plain), opened(scene(1500), plain)
    assert [few.painter("Plane"), many.painter("Plane")] == ["svg", "density"]
    assert many.painter("Agreement") == "svg"
    for canvas in (few, many):
        canvas.drag("Plane", (0.2, 0.2), (0.6, 0.2), (0.6, 0.6), (0.2, 0.6))
        assert 0 < canvas.counts()["Plane"] == canvas.chosen().mask.sum()


COLOURS = """canvas => {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  let drawn = 0;
  for (let at = 3; at < data.length; at += 4) drawn += data[at] > 20;
  return drawn / (width * height);
}"""


def test_webgl_draws_thousands_of_points_and_marks_them_at_once(opened, webgl):
    canvas = opened(scene(2500), webgl)
    assert canvas.painter("Plane") == "webgl" == canvas.painter("Agreement")
    points = canvas.panel("Plane").locator("canvas.points")
    until(lambda: points.evaluate(COLOURS) > 0.05, 10)
    canvas.drag("Plane", (0, 0), (0.5, 0), (0.5, 1), (0, 1))
    began = time.monotonic()
    chosen = canvas.chosen().mask.sum()
    assert chosen > 1500
    assert time.monotonic() - began < 3
    points_saved = circles(saved(canvas, "Plane", "SVG"))
    assert len(points_saved) == 5000 + 2
    assert sum(point.get("fill-opacity") == "0.75" for point in points_saved) == chosen
    canvas.panel("Plane").get_by_role("button", name="Zoom in").click()
    until(lambda: points.evaluate(COLOURS) > 0.05, 10)
    canvas.page.evaluate("window.stop()")
    assert canvas.page.locator(".canvas").count() == 0


def test_the_benchmark_measures_what_it_names(webgl):
    row = measured(webgl, scene_of(6000), seconds=0.3)
    assert row["painter"] == "webgl" and row["selected"] > 500
    assert row["payload_bytes"] > 6000 * 10 + 3000 * 8 + 6000 * 4  # coordinates and groups, scores, ends
    assert row["frames_a_second"] > 0 and 0 < row["selecting_seconds"] < 10 and row["first_seconds"] > 0
    (line,) = summary("canvas", [{"what": "6,000 points", "repeat": 0, **row}])
    assert line.startswith("canvas: 6,000 points (webgl): payload 0.1 (0.1 to 0.1, n=1) MB, memory ")


def test_very_many_points_are_counted_anew_at_each_zoom(opened, webgl):
    canvas = opened(scene(120_000, texts=False, panels=(Scatter("sentences", "x", "y", "Plane", equal=True),)), webgl)
    assert canvas.painter("Plane") == "density"
    points = canvas.panel("Plane").locator("canvas.points")
    until(lambda: points.evaluate(COLOURS) > 0.3, 10)
    shades = """canvas => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((_, at) => at % 4 === 3 && data[at] > 0).length;
    }"""
    before = points.evaluate(shades)
    for _ in range(8):
        canvas.panel("Plane").get_by_role("button", name="Zoom in").click()
    until(lambda: points.evaluate(shades) < before / 2, 10)  # the same squares of the screen now hold single points
    drawing = saved(canvas, "Plane", "SVG")
    assert "in the SVG, too, they are pixels" in canvas.panel("Plane").locator(".save").text_content()
    assert not circles(drawing) and "data:image/png;base64," in drawing.read_text()
    canvas.page.get_by_role("radio", name="Box").click()
    canvas.drag("Plane", (0.1, 0.1), (0.9, 0.9))
    assert 0 < canvas.chosen().mask.sum() < 240_000 / 100


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_narrow_page_has_one_column_and_nothing_is_wider(opened, theme):
    canvas = opened(scene(), width=420, theme=theme)
    left = {canvas.box(title)[0] for title in ("Plane", "Agreement", "Golds")}
    assert len(left) == 1
    assert canvas.page.evaluate("document.documentElement.scrollWidth") <= 420


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(opened, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    canvas = opened(scene(), theme=theme)
    canvas.panel("Pairs").locator(".body .row").nth(2).click()
    violations = axe.run(canvas.page).response["violations"]
    assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in violations] == []


def saved(canvas, title, kind):
    """The file that a panel's menu saves."""
    canvas.panel(title).locator(".save summary").click()
    with canvas.page.expect_download() as download:
        canvas.panel(title).get_by_role("button", name=kind).click()
    canvas.page.keyboard.press("Escape")
    assert download.value.suggested_filename == f"{title.lower().replace(' ', '-')}.{kind.lower()}"
    return download.value.path()


def circles(path):
    return list(ElementTree.parse(path).getroot().iter("{http://www.w3.org/2000/svg}circle"))


def test_a_panel_is_saved_as_it_is_drawn(opened):
    canvas = opened(scene(), theme="dark")
    canvas.panel("Pairs").locator(".body .row").nth(2).click()
    drawing = ElementTree.parse(saved(canvas, "Plane", "SVG")).getroot()
    texts = [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["Plane", "caption", "headline"]
    points = circles(saved(canvas, "Plane", "SVG"))
    assert len(points) == 80 + 2  # and two in the legend
    colours = {point.get("fill").lower() for point in points}
    assert len(colours) == 2 and all(len(colour) == 7 and colour[0] == "#" for colour in colours)
    assert sum(point.get("r") == "4.4" for point in points) == 2, "the selected ones are larger"
    with Image.open(saved(canvas, "Agreement", "PNG")) as picture:
        _, _, width, _ = canvas.box("Agreement")
        assert picture.format == "PNG" and abs(picture.width - 2 * (width + 24)) <= 1
        assert picture.convert("RGB").getpixel((2, 2)) == (0x12, 0x16, 0x1D)
    table = pd.read_csv(saved(canvas, "Agreement", "CSV"))
    assert len(table) == 40 and table["selected"].tolist() == [int(row == 2) for row in range(40)]
    assert np.allclose(table["Gold"], column(canvas.scene, "pairs", "gold"), atol=1e-6)
    same = pd.read_parquet(saved(canvas, "Agreement", "Parquet"))
    pd.testing.assert_frame_equal(same, table, check_dtype=False, check_exact=True)
    bars = pd.read_csv(saved(canvas, "Golds", "CSV"))
    assert bars["rows"].sum() == 40 and bars["selected"].sum() == 1
    assert "Gold score" in saved(canvas, "Golds", "SVG").read_text()


def test_what_is_selected_in_explore_is_told_below(reader):
    visitor = reader()
    page = visitor.open("explore?target=minilm-l3&beside=")
    canvas = page.locator(".canvas")
    canvas.wait_for(timeout=120_000)
    canvas.evaluate("canvas => canvas.id = 'first'")
    page.get_by_role("searchbox").fill("the")
    page.locator('.panel[aria-label^="Positives, and random pairs"]').wait_for(timeout=120_000)  # the last to come
    assert canvas.get_attribute("id") == "first", "what comes later is drawn in the same canvas"
    page.keyboard.press("Enter")  # in the field, which has the focus as before
    marked = int(page.locator('.panel[aria-label^="Pairs, the worst"]').get_attribute("data-selected"))
    assert 0 < marked < 600
    page.get_by_text("Selected pairs", exact=True).wait_for()
    assert f"{marked:,}" in page.locator(".facts").inner_text()
    visitor.settled()
    table = page.locator('.panel[aria-label^="Pairs, the worst"]')
    table.get_by_role("button", name="Gold", exact=True).click()
    table.get_by_label("selected only").check()
    page.get_by_role("radio", name="Box").click()
    page.get_by_role("radio", name="ranks").click()
    page.get_by_text("Rank of gold score").first.wait_for()
    assert table.get_attribute("data-selected") == str(marked)
    assert page.get_by_role("searchbox").input_value() == "the", "what was typed stays when the panels are drawn anew"
    assert page.get_by_role("radio", name="Box").get_attribute("aria-checked") == "true"
    assert table.get_by_label("selected only").is_checked()
    assert table.locator("[aria-sort]").inner_text() == "Gold"


def test_a_bucket_of_gold_scores_selects_its_pairs_and_the_nearest_of_a_sentence_stand_below(reader):
    visitor = reader()
    page = visitor.open("explore?target=minilm-l3&beside=")
    panel = page.locator('.panel[aria-label="Cosines by gold score"]')
    panel.wait_for(timeout=120_000)
    page.locator('.panel[aria-label^="Positives"]').wait_for(timeout=120_000)
    visitor.settled()
    plot = panel.locator(".plot")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.click(box["x"] + 0.95 * box["width"], box["y"] + box["height"] - 24)  # the name of the last bucket
    high = int((pairs("dev").gold >= 4).sum())
    until(lambda: panel.get_attribute("data-selected") == str(high), 5)
    page.get_by_text(f"Of the {high} selected pairs").wait_for()
    row = page.locator('.panel[aria-label="Sentences"] .body .row').nth(0)
    row.click()
    page.get_by_text("Nearest first").wait_for()
    chosen = row.inner_text().splitlines()[0]
    lists = page.locator(".sheet", has_text="Nearest first")
    assert lists.locator("tr").count() == 11 and chosen not in lists.inner_text()
    visitor.sound()
