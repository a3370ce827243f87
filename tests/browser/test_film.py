"""The film of a run as a file without a network, and on the page of its run."""

import re
import shutil
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from tests.run_folders import film_run, make_run
from workbench.film.document import data, document, script
from workbench.film.tables import film_tables
from workbench.store.names import runs_folder

SVG = "{http://www.w3.org/2000/svg}"
PICTURES = """[...document.querySelectorAll('.film')].flatMap((film) => [...film.querySelectorAll('canvas')]).map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.reduce((sum, value, at) => (sum * 31 + value * (at % 251)) % 1000003, 7);
})"""
"""A number for what is drawn in each figure."""


@pytest.fixture(scope="module")
def filmed(tmp_path_factory):
    """A run with a film, in a folder of its own."""
    folder = runs_folder(tmp_path_factory.mktemp("film") / "runs")
    return folder, film_run(make_run(folder, name="<b>mine</b>"), sentences=60, text="<b>{}</b>")


@pytest.fixture(scope="module")
def file(filmed, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "film.html"
    path.write_text(document(film_tables(filmed[1])), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def opened(browser, file):
    """Opens the file from disk, without a network; notices what goes wrong and what is asked for."""
    contexts, wrong = [], []

    def make(*, width=1280, **settings):
        context = browser.new_context(viewport={"width": width, "height": 900}, **settings)
        contexts.append(context)
        context.set_offline(True)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on(
            "request", lambda request: None if request.url.startswith(("file:", "blob:")) else wrong.append(request.url)
        )
        page.goto(file)
        page.locator(".film canvas").first.wait_for()
        return page

    yield make
    for context in contexts:
        context.close()
    assert not wrong


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_one_slider_moves_every_figure(opened, width, scheme):
    page = opened(width=width, color_scheme=scheme, reduced_motion="reduce")
    slider = page.get_by_role("slider", name="Step of the training")
    page.wait_for_timeout(300)
    assert page.locator(".where").inner_text() == "Step 0", "nothing plays by itself where motion is not wanted"
    before = page.evaluate(PICTURES)
    slider.press("ArrowRight")
    assert (
        page.locator(".where").inner_text() == "Step 10" and slider.get_attribute("aria-valuetext") == "step 10 of 20"
    )
    after = page.evaluate(PICTURES)
    assert len(before) == 5 and all(one != other for one, other in zip(before, after, strict=True))
    page.get_by_role("button", name="One frame back").click()
    assert page.evaluate(PICTURES) == before
    box = page.locator(".film .curves canvas").bounding_box()
    page.locator(".film .curves canvas").click(position={"x": 0.9 * box["width"], "y": 20})
    assert page.locator(".where").inner_text() == "Step 20" and slider.input_value() == "2"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_it_plays_to_its_end_and_stops(opened):
    page = opened()
    page.locator(".film.playing").wait_for()  # by itself, once it is in sight
    page.get_by_role("button", name="Pause").click()
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("button", name="Play").click()
    page.locator(".where", has_text=re.compile("^Step 20$")).wait_for()
    page.get_by_role("button", name="Play").wait_for()
    assert not page.locator(".film.playing").count()


def test_the_keyboard_a_pair_and_the_table(opened, filmed):
    page = opened(reduced_motion="reduce")
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    assert page.locator(".where").inner_text() == "Step 20"
    before = page.evaluate(PICTURES)[:2]
    page.get_by_label("Follow a pair").select_option(index=1)
    assert "<b>sentence 29</b>" in page.locator(".film .pair").inner_text()
    assert all(one != other for one, other in zip(before, page.evaluate(PICTURES)[:2], strict=True))
    page.get_by_label("Cone").check()
    assert "mean direction" in page.locator(".film .plane").inner_text()
    page.get_by_text("As a table").click()
    frames = film_tables(filmed[1]).frames
    rows = page.locator(".film tbody tr")
    rows.first.wait_for()  # a browser tells what was opened after the click
    assert rows.count() == 3 and rows.nth(2).get_attribute("data-now") is not None
    assert rows.nth(1).locator("td").nth(1).inner_text() == f"{100 * frames['spearman'][1]:.1f}"


def test_each_figure_is_saved_as_drawn_at_the_step_shown(opened, filmed):
    page = opened(reduced_motion="reduce")
    page.get_by_role("slider").press("End")
    for panel, marks in (("plane", 60), ("gold", 30), ("path", 3), ("spectrum", 0), ("curves", 3)):
        before = page.evaluate(PICTURES)
        drawing, dots = saved_svg(page, page.locator(f".film .{panel}"), f"{filmed[1].id}-{panel}-step-20.svg")
        assert dots >= marks and len(list(drawing.iter(f"{SVG}text"))) > 1
        assert drawing.find(f"{SVG}title").text.strip() and drawing.find(f"{SVG}desc").text.startswith("Step 20")
        assert page.evaluate(PICTURES) == before, "the page shows what it showed"
    page.locator(".film .plane .save summary").click()
    with page.expect_download() as download:
        page.locator(".film .plane").get_by_role("button", name="PNG").click()
    with Image.open(download.value.path()) as picture:
        wide = page.locator(".film .plane canvas").bounding_box()["width"]
        assert picture.format == "PNG" and abs(picture.width - 2 * (wide + 24)) <= 2
        assert len(set(picture.convert("RGB").resize((60, 60)).getdata())) > 20


def test_the_data_of_each_figure_is_saved_for_the_step_shown(opened, filmed):
    page = opened(reduced_motion="reduce")
    film = film_tables(filmed[1])
    page.get_by_role("slider").press("End")
    page.get_by_label("Cone").check()
    tables = {panel: saved_table(page, panel, "Parquet") for panel in ("plane", "gold", "path", "spectrum", "curves")}
    text = saved_table(page, "gold", "CSV")
    pd.testing.assert_frame_equal(tables["gold"], text, check_dtype=False, check_exact=True)
    assert tables["plane"]["text"].tolist() == film.sentences["text"].tolist()
    assert np.allclose(tables["plane"][["x", "y"]], film.cone[-1], atol=5e-5)
    assert np.allclose(tables["gold"]["cosine"], film.cosines[-1], atol=3e-5)
    assert tables["gold"]["gold score"].tolist() == film.pairs["gold"].tolist()
    assert np.allclose(tables["path"], film.frames[["step", "uniformity", "alignment"]], rtol=1e-4)
    assert np.allclose(tables["spectrum"]["strength at step 20"], film.spectrum[-1], atol=1e-5)
    assert set(tables["curves"]["curve"]) == {"loss", "Spearman", "mean cosine"}
    page.get_by_text("As a table").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the table as Parquet").click()
    table = pd.read_parquet(download.value.path())
    assert table["step"].tolist() == [0, 10, 20] and np.isnan(table["loss"][0]), "unknown at step 0"


def test_that_a_figure_is_not_saved_is_said_until_it_is_another(opened):
    page = opened(reduced_motion="reduce")
    page.evaluate("globalThis.workbenchTables = {}")
    page.locator(".film .gold .save summary").click()
    failed = page.get_by_text("Not saved.")
    for other in (
        lambda: page.get_by_role("slider").press("End"),
        lambda: page.get_by_label("Cone").check(),
        lambda: page.get_by_label("Follow a pair").select_option(index=1),
    ):
        if not page.locator(".film .gold .save[open]").count():
            page.locator(".film .gold .save summary").click()
        page.locator(".film .gold").get_by_role("button", name="CSV").click()
        failed.wait_for()
        other()
        failed.wait_for(state="detached")
    page.get_by_text("As a table").click()
    page.get_by_role("button", name="Save the table as CSV").click()
    failed.wait_for()
    for _ in range(2):
        page.get_by_text("As a table").click()
    assert not failed.count(), "nor is it said of what was closed"


def saved_table(page, panel, kind):
    """The data that a panel's menu saves; by keys alone."""
    turns, read = {"CSV": (3, pd.read_csv), "Parquet": (4, pd.read_parquet)}[kind]
    page.locator(f".film .{panel} .save summary").focus()
    page.keyboard.press("Enter")
    for _ in range(turns):
        page.keyboard.press("Tab")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename.endswith(f"-{panel}-step-20.{kind.lower()}")
    return read(download.value.path())


def saved_svg(page, panel, name):
    """The drawing that a panel's menu saves, and how many circles its paths have."""
    panel.locator(".save summary").click()
    with page.expect_download() as download:
        panel.get_by_role("button", name="SVG").click()
    assert download.value.suggested_filename == name
    drawing = ElementTree.parse(download.value.path()).getroot()
    circles = sum(path.get("d").count("A") // 2 for path in drawing.iter(f"{SVG}path"))
    return drawing, circles


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened, scheme):
    why = "NO AXE: pip install -r requirements-test.txt"
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=why).Axe()
    page = opened(color_scheme=scheme, reduced_motion="reduce")
    page.get_by_text("As a table").click()
    page.locator(".film tbody tr").first.wait_for()
    found = axe.run(page).response["violations"]
    assert [(one["id"], node["html"][:160]) for one in found for node in one["nodes"]] == []


def test_a_film_that_grows_stays_where_it_was_and_at_its_end_goes_on(opened, filmed):
    page = opened(reduced_motion="reduce")
    longer = {**data(film_tables(filmed[1])), "stamp": "longer"}
    shorter = {**longer, "stamp": "shorter", "steps": longer["steps"][:2]}
    page.add_script_tag(
        type="module", content=f"{script()}; window.grow = (data) => mount(document.getElementById('film'), data);"
    )
    page.wait_for_function("window.grow !== undefined")
    page.evaluate("data => window.grow(data)", shorter)
    slider = page.get_by_role("slider", name="Step of the training")
    page.get_by_label("Cone").check()
    slider.press("End")
    assert page.locator(".where").inner_text() == "Step 10"
    page.evaluate("data => window.grow(data)", longer)
    assert page.locator(".where").inner_text() == "Step 20" and page.get_by_label("Cone").is_checked()
    assert slider.evaluate("node => node === document.activeElement"), "whoever is at a control stays there"
    page.evaluate("data => window.grow(data)", shorter)
    slider.press("Home")
    page.evaluate("data => window.grow(data)", longer)
    assert page.locator(".where").inner_text() == "Step 0"


@pytest.fixture
def on_page(runs):
    """A run with a film in the folder of the app that all tests share."""
    run = film_run(make_run(runs, 7))
    yield run
    shutil.rmtree(run.folder)


def test_the_page_of_a_run_shows_its_film_and_saves_it(reader, on_page):
    one = reader()
    one.page.emulate_media(reduced_motion="no-preference")  # then it plays by itself
    page = one.open(f"runs?run={on_page.id}")
    page.get_by_role("button", name="Watch the film").click()
    page.locator(".film canvas").first.wait_for(timeout=60_000)
    page.wait_for_url("**film=open*")
    page.locator(".film.playing").wait_for()
    one.settled()  # a file that is made when it is asked for has another name in each run of the page's script
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as one HTML file").click()
    assert download.value.path().read_text(encoding="utf-8") == document(film_tables(on_page))
    page.locator(".film .path .save summary").click()
    with page.expect_download() as download:
        page.locator(".film .path").get_by_role("button", name="Parquet").click()
    assert pd.read_parquet(download.value.path())["step"].tolist() == film_tables(on_page).frames["step"].tolist()
    one.settled()
