"""The lesson as a class sees it: in the app, on a projector, on a phone, and as a file without a network."""

import json
import re
from io import BytesIO, StringIO
from itertools import product
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from tests.browser.axe import IDLE, OF_COLOURS, violations
from workbench.core.spreadsheet import csv_of
from workbench.lesson import forces
from workbench.lesson.document import document
from workbench.lesson.figures import lesson_figure
from workbench.lesson.words import answers, finding, question, read
from workbench.plots.template import takeaway_of

LESSON = read()
STEPS = LESSON["words"]["steps"]
FACTS = {name: step["facts"] for name, step in LESSON["numbers"]["steps"].items()}

SCROLLS = """Math.max(...[...document.querySelectorAll('.lesson, .lesson .step, .lesson .words, .lesson .figure')].map(
    (box) => Math.max(box.scrollHeight - box.clientHeight, box.scrollWidth - box.clientWidth)))"""
"""By how many pixels something is larger than its place."""
FITS = """(() => {
    const foot = document.querySelector('.lesson footer').getBoundingClientRect();
    const parts = [...document.querySelectorAll('.lesson .words > *, .lesson .picture > *')];
    return Math.max(...parts.map((part) => part.getBoundingClientRect().bottom)) <= foot.top + 1 && foot.bottom <= innerHeight;
})()"""
"""Whether everything is above the buttons, and these are in sight."""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("lesson") / "lesson.html"
    path.write_text(document(), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def other(tmp_path):
    """Writes the file as it is with other numbers of some steps."""

    def make(**numbers):
        text, path = document(), tmp_path / "other.html"
        shipped = LESSON["numbers"]
        changed = {**LESSON, "numbers": {**shipped, "steps": {**shipped["steps"], **numbers}}}
        data = json.dumps(changed).replace("<", "\\u003c")
        start, end = '<script type="application/json" id="data">', "</script>"
        head, rest = text.split(start, 1)
        path.write_text(f"{head}{start}{data}{end}{rest.split(end, 1)[1]}", encoding="utf-8")
        return path.as_uri()

    return make


@pytest.fixture
def opened(browser, file):
    """Opens the file from disk, without a network; notices what goes wrong and what is asked for."""
    contexts, wrong = [], []

    def make(step="", *, of=file, width=1280, height=720, **settings):
        context = browser.new_context(viewport={"width": width, "height": height}, **settings)
        contexts.append(context)
        context.set_offline(True)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on(
            "request", lambda request: None if request.url.startswith(("file:", "blob:")) else wrong.append(request.url)
        )
        page.goto(f"{of}{f'?step={step}' if step else ''}")
        page.locator(".lesson .step h2").wait_for()
        return page

    yield make
    for context in contexts:
        context.close()
    assert not wrong


def titled(page, step):
    page.locator(".lesson .step h2", has_text=re.compile(f"^{re.escape(step['title'])}$")).wait_for()


def answer(page, step, *, right=True):
    """Choose the option that is right, or another."""
    [number] = answers(step, FACTS[step["id"]])
    chosen = number if right else (number + 1) % len(step["options"])
    page.locator(".lesson .options button").nth(chosen).click()
    return chosen


def walk(page):
    """From the first step to the last: question, prediction, finding, figure, knob."""
    for number, step in enumerate(STEPS):
        facts = FACTS[step["id"]]
        titled(page, step)
        assert page.locator(".lesson .question").inner_text() == question(step, facts)
        assert page.locator(".lesson .finding").inner_text() == "" and not page.locator(".lesson .figure svg").count()
        answer(page, step, right=number % 2 == 0)
        said = page.locator(".lesson .finding").inner_text()
        assert said == ("Right. " if number % 2 == 0 else "Not quite. ") + finding(step, facts)
        assert page.locator(".lesson .figure").locator("svg, .push").count()
        turned(page)
        if step is not STEPS[-1]:
            page.get_by_role("button", name="Next →").click()


def turned(page):
    """Turn the first knob: the figure changes."""
    figure = page.locator(".lesson .figure")
    knob = page.locator(".lesson .knobs").locator("input[type=range], select").first
    before = figure.inner_html()
    if knob.evaluate("knob => knob.tagName") == "SELECT":
        knob.select_option(index=0)
    else:
        knob.press("ArrowRight" if knob.evaluate("knob => Number(knob.value) < Number(knob.max)") else "ArrowLeft")
    page.wait_for_function("before => document.querySelector('.lesson .figure')?.innerHTML !== before", arg=before)


@pytest.mark.parametrize(("width", "height", "scheme"), [(1280, 720, "light"), (420, 800, "dark")])
def test_the_file_from_the_first_step_to_the_last(opened, width, height, scheme):
    page = opened(width=width, height=height, color_scheme=scheme)
    walk(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert "step=augmentations" in page.url
    page.go_back()
    titled(page, STEPS[-2])


def test_a_link_opens_its_step_and_a_wrong_one_the_first(opened):
    titled(opened("temperature"), next(step for step in STEPS if step["id"] == "temperature"))
    titled(opened("nonsense"), STEPS[0])


@pytest.mark.parametrize("size", [(960, 540), (880, 900)])
def test_a_figure_keeps_its_height_on_a_small_projector(opened, size):
    page = opened()
    page.get_by_role("button", name="Projector").click()
    resized(page, *size)
    for step in STEPS:
        titled(page, step)
        answer(page, step)
        if (knob := page.locator(".lesson .knobs input[type=range]")).count():
            knob.first.focus()
            heights = []
            for _ in range(4):
                page.keyboard.press("ArrowRight")
                page.wait_for_timeout(50)
                heights.append(page.locator(".lesson .figure").evaluate("node => node.scrollHeight"))
            assert max(heights) - min(heights) < 60, (step["id"], heights)  # an example of another length
        page.keyboard.press("Tab")
        page.get_by_role("button", name="Next").click() if step is not STEPS[-1] else None


LETTERS = "parseFloat(getComputedStyle(document.querySelector('.lesson .question')).fontSize)"


def resized(page, width, height):
    """Give the page another size while it fills the screen, when Playwright may not change that of the window."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    page.context.new_cdp_session(page).send("Emulation.setDeviceMetricsOverride", size)


def test_no_step_scrolls_on_a_projector(opened):
    page = opened()
    page.get_by_role("button", name="Projector").click()
    for step in STEPS:
        titled(page, step)
        for _ in range(2):  # before and after the prediction
            page.wait_for_function(FITS)  # a frame after the screen was given, or the answer
            assert page.evaluate(SCROLLS) <= 1, step["id"]
            assert page.evaluate(FITS), step["id"]
            if not page.locator(".lesson .knobs").count():
                answer(page, step)
        page.keyboard.press("PageDown")
    small = page.evaluate(LETTERS)
    resized(page, 1920, 1080)
    assert page.evaluate(LETTERS) == pytest.approx(1.5 * small, rel=0.05), "as large on the wall as before"
    assert page.evaluate(SCROLLS) <= 1 and page.evaluate(FITS)
    resized(page, 640, 360)  # 200 %
    page.get_by_role("button", name="Reset this step").click()
    answer(page, STEPS[-1])
    page.keyboard.press("Escape")
    assert not page.locator(".lesson.projector").count()


def test_the_keyboard_alone_is_enough(opened):
    page = opened()

    def tab_to(selector):
        for _ in range(40):
            if page.evaluate("selector => document.activeElement?.matches(selector)", selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{selector} is not reached")

    tab_to(".options button")
    ring = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    page.keyboard.press("Enter")
    page.locator(".lesson .finding p").wait_for()
    tab_to("input[type=range]")
    before = page.locator(".lesson .value").inner_text()
    page.keyboard.press("ArrowLeft")
    assert page.locator(".lesson .value").inner_text() != before and ring == "solid"
    tab_to(".lesson footer .primary")
    page.keyboard.press("Enter")
    titled(page, STEPS[1])
    assert page.evaluate("document.activeElement.matches('.lesson .step h2')")


def test_the_browser_computes_what_python_does(opened):
    page = opened("ranking", reduced_motion="reduce")
    steps = {step["id"]: step for step in STEPS}
    answer(page, steps["ranking"])
    assert page.locator(".lesson .step .big dd").first.inner_text() == f"{100 * FACTS['ranking']['squeezed']:.1f}"
    page = opened("balance", reduced_motion="reduce")
    answer(page, steps["balance"])
    for pull, push in ((1, 0), (0.5, 2)):
        for name, value in (("Alignment", pull), ("Uniformity", push)):
            page.get_by_role("slider", name=name).fill(str(value))
        circle = LESSON["numbers"]["steps"]["balance"]["shared"]["circle"]
        a, b = np.asarray(circle["a"]), np.asarray(circle["b"])
        near, spread, *_ = forces.forces(*forces.moved(a, b, pull, push))
        shown = page.locator(".lesson .step .big dd").all_inner_texts()
        assert shown == [f"{near:.2f}", f"{spread:.2f}".replace("-", "−"), "400"]


TURNED = {
    "strangers": {"threshold": 0.81},
    "ranking": {"squeeze": 0.95},
    "mean": {"share": 0.1},
    "centring": {"removed": 1},
    "layers": {"layer": 4},
    "frequency": {"left_out": 50},
    "balance": {"pull": 1.1},
    "dropout": {"rate": 0.2},
    "temperature": {"temperature": 0.07},
    "film": {"step": 5},
    "augmentations": {"change": LESSON["numbers"]["steps"]["augmentations"]["shared"]["methods"][0]["title"]},
}
"""What the first knob of each step is set to once it has been turned."""


def test_figures_for_print_say_what_the_browser_says(opened):
    page = opened(reduced_motion="reduce")
    for step in STEPS:
        titled(page, step)
        answer(page, step)
        for knobs in ({}, TURNED[step["id"]]):
            if knobs:
                turned(page)
            says = page.locator(".lesson .figure details > p:not(.files)")
            shown = (
                says.text_content() if says.count() else page.locator(".lesson .figure svg").get_attribute("aria-label")
            )
            # Files for print have it in their metadata, with plain spaces.
            assert takeaway_of(lesson_figure(step["id"], knobs)).startswith(shown.replace("\u00a0", " "))
        if step is not STEPS[-1]:
            page.get_by_role("button", name="Next →").click()


@pytest.mark.parametrize(("shallow", "deep"), [("after", "before"), ("before", "after")])
def test_encoders_of_different_depth_are_drawn_to_their_own_last_layers(opened, other, shallow, deep):
    numbers = LESSON["numbers"]["steps"]["layers"]
    numbers = {**numbers, shallow: {name: values[:4] for name, values in numbers[shallow].items()}}
    page = opened("layers", of=other(layers=numbers))
    page.locator(".lesson .options button").first.click()
    page.get_by_role("slider", name="Layer").fill("4")
    figure = page.locator(".lesson .figure")
    says = figure.locator("details > p:not(.files)").text_content()
    assert takeaway_of(lesson_figure("layers", {"layer": 4}, numbers=numbers)) == says
    assert f"with the encoder {deep}; the one {shallow} has 3 layers." in says
    assert (figure.locator(f".dot.{shallow}").count(), figure.locator(f".dot.{deep}").count()) == (4, 5)
    assert (figure.locator(f".hill.{shallow}").count(), figure.locator(f".hill.{deep}").count()) == (0, 1)
    cells = figure.locator("tbody tr").last.locator("th, td").all_text_contents()
    assert [at for at, cell in enumerate(cells) if cell == "–"] == ([1, 3] if shallow == "before" else [2, 4])


def test_nothing_is_said_of_a_training_that_never_was(opened, other):
    steps = ("strangers", "mean", "centring", "layers", "frequency")
    shipped = LESSON["numbers"]["steps"]
    numbers = {step: {**shipped[step], "facts": {**FACTS[step], "steps": 0}} for step in steps}
    page = opened(of=other(**numbers))
    for step in STEPS:
        if step["id"] in steps:
            titled(page, step)
            page.locator(".lesson .options button").first.click()
            shown = page.locator(".lesson .step").inner_text()
            assert "ncoder before" in shown and "training" not in shown
            says = page.locator(".lesson .figure details > p:not(.files)").text_content()
            assert takeaway_of(lesson_figure(step["id"], {}, numbers=numbers[step["id"]])) == says.replace(
                "\u00a0", " "
            )
        if step is not STEPS[-1]:
            page.get_by_role("button", name="Next →").click()


CUT = """[...document.querySelectorAll('.lesson .step svg text')].filter((text) => {
    const [part, whole] = [text, text.ownerSVGElement].map((node) => node.getBoundingClientRect());
    const across = part.left < whole.left - 1 || part.right > whole.right + 1;
    return across || part.top < whole.top - 1 || part.bottom > whole.bottom + 1;
}).map((text) => text.textContent)"""
"""Words of figures that are not whole."""


def test_no_words_of_a_figure_are_cut_off_on_a_phone(opened):
    page = opened(width=360, height=800)
    for step in STEPS:
        titled(page, step)
        answer(page, step)
        assert page.evaluate(CUT) == [], step["id"]
        if step is not STEPS[-1]:
            page.get_by_role("button", name="Next →").click()


UPON = """[...document.querySelectorAll('.lesson .step svg text.strong.halo')].flatMap((one) =>
    [...one.ownerSVGElement.querySelectorAll('text')].filter((other) => {
        const [a, b] = [one, other].map((node) => node.getBoundingClientRect());
        return other !== one && a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom;
    }).map((other) => `${one.textContent} and ${other.textContent}`))"""
"""Numbers of points that lie upon other words; 3 pixels are above and below the letters."""


@pytest.mark.parametrize(("width", "steps"), [(390, ("centring", "layers", "frequency")), (820, ("frequency",))])
def test_the_numbers_of_points_lie_upon_no_other_words(opened, width, steps):
    page = opened(width=width, height=900)
    for step in steps:
        page.locator(".lesson nav button").nth([each["id"] for each in STEPS].index(step)).click()
        page.locator(".lesson .options button").first.click()
        slider = page.locator(".lesson .step input[type=range]")
        for value in range(int(slider.get_attribute("max")) + 1):
            slider.fill(str(value))
            assert page.evaluate(UPON) == [], f"{step} at {value}"


def test_reset_takes_the_prediction_back(opened):
    page = opened("mean")
    page.locator(".lesson .options button").first.click()
    page.get_by_role("button", name="Reset this step").click()
    assert page.locator(".lesson .finding").inner_text() == "" and page.locator(".lesson .wait").is_visible()


def test_other_encoders_ask_for_a_prediction_of_their_own(opened):
    page = opened("mean")
    page.locator(".lesson .options button").first.click()
    computed = """after => { const { lesson } = document.getElementById("lesson"), numbers = lesson.data.numbers.steps.mean;
        lesson.update({ ...lesson.data, pending: [], live: { mean: { numbers, before: "mini-mlm", after } } }); }"""
    page.evaluate(computed, "one")
    assert page.locator(".lesson .finding p").count(), "asked for below the finding, so predicted before"
    page.evaluate(computed, "two")
    assert page.locator(".lesson .wait").is_visible()
    page.evaluate(computed, "one")
    assert page.locator(".lesson .finding p").count()


def test_page_down_is_taken_on_a_projector_only_and_from_no_control(opened):
    step = next(step for step in STEPS if step["id"] == "temperature")
    page = opened(step["id"])
    answer(page, step)
    slider, heard = page.get_by_role("slider", name="Temperature"), "document.querySelector('.lesson h2').textContent"
    slider.focus()
    before = slider.input_value()
    page.keyboard.press("PageUp")
    assert slider.input_value() != before
    page.locator(".lesson summary").click()
    page.keyboard.press("PageDown")
    assert page.evaluate(heard) == step["title"], "the page's own key"
    page.get_by_role("button", name="Projector").click()
    for control in (slider, page.get_by_role("combobox")):
        control.focus()
        page.keyboard.press("PageDown")
        assert page.evaluate(heard) == step["title"]
    page.get_by_role("slider", name="Temperature").click()  # by mouse: what comes next is a presenter
    page.keyboard.press("PageDown")
    titled(page, STEPS[STEPS.index(step) + 1])
    page.keyboard.press("PageUp")
    titled(page, step)


def test_a_training_is_started_and_the_lesson_goes_on(opened):
    page = opened("film")
    answer(page, next(step for step in STEPS if step["id"] == "film"))
    page.evaluate(
        """() => { const { lesson } = document.getElementById("lesson");
        lesson.sends = []; lesson.send = (...told) => lesson.sends.push(told);
        lesson.data = { ...lesson.data, page: true, pending: [], live: {}, film: false, run: null }; lesson.show(); }"""
    )
    page.get_by_role("button", name="Train it here, now").click()
    running = """over => { const { lesson } = document.getElementById("lesson");
        lesson.update({ ...lesson.data, film: over, run: { id: "a run", name: "the name", over } }); }"""
    page.evaluate(running, False)
    page.get_by_text("The training has been started: the name. Go on with the lesson").wait_for()
    assert not page.get_by_role("button", name="Train it here, now").count()
    link = page.get_by_role("link", name="the name")
    assert link.get_attribute("href") == "runs?run=a%20run"
    link.click()
    assert page.evaluate("document.getElementById('lesson').lesson.sends") == [["train", "film"], ["run", "a run"]]
    page.evaluate(running, True)
    page.get_by_text("The training has ended: the name.").wait_for()
    page.get_by_role("button", name="Watch the film of your newest run").wait_for()


def test_predictions_and_knobs_are_kept_for_the_tab(opened):
    page = opened("mean")
    page.locator(".lesson .options button").first.click()
    page.get_by_role("slider", name="Mean subtracted").fill("4")
    page.get_by_role("button", name="Next →").click()
    page.reload()
    assert page.locator(".lesson .wait").is_visible(), "this step has not been answered"
    page.go_back()
    titled(page, STEPS[2])
    assert page.locator(".lesson nav li.done").count() == 1
    assert page.locator(".lesson .options [aria-pressed=true]").count() == 1
    assert page.get_by_role("slider", name="Mean subtracted").input_value() == "4"
    page.goto("about:blank")
    page.go_back()
    page.locator(".lesson .finding p").wait_for()
    page.get_by_role("button", name="Reset this step").click()
    page.reload()
    assert page.locator(".lesson .wait").is_visible() and not page.locator(".lesson nav li.done").count()
    page.evaluate("sessionStorage.setItem('workbench-lesson', '[1, null')")
    page.reload()
    assert page.locator(".lesson .wait").is_visible(), "what cannot be read is nothing"


def test_the_handout_has_every_question_and_then_what_was_seen(opened):
    page = opened()
    page.emulate_media(media="print")
    sheet = page.locator(".lesson .handout")
    assert sheet.is_visible() and not page.locator(".lesson header").is_visible()
    assert sheet.locator("article").count() == 2 * len(STEPS)
    words = sheet.inner_text()
    for step in STEPS:
        asked, seen = (
            words.index(question(step, FACTS[step["id"]])),
            words.index(finding(step, FACTS[step["id"]])),
        )
        assert asked < words.index("What we saw") < seen
    for number, step in enumerate(STEPS, len(STEPS)):
        assert sheet.locator("article").nth(number).locator("svg, .push").count(), f"{step['id']} has its figure"
    moving = sheet.locator("article").nth(len(STEPS) + [step["id"] for step in STEPS].index("balance"))
    drawn, given = moving.locator("svg"), FACTS["balance"]
    for at, fact in enumerate(("start", "pulled", "both")):
        near, spread = (f"{given[f'{fact}_{force}']:.2f}" for force in ("alignment", "uniformity"))
        assert f"alignment {near}, uniformity {spread.replace('-', '−')}." in drawn.nth(at).get_attribute("aria-label")
        lengths = (
            drawn.nth(at)
            .locator(".bond")
            .evaluate_all("lines => lines.map((line) => Math.abs(line.x1.baseVal.value - line.x2.baseVal.value))")
        )
        assert (max(lengths) > 1) == (fact == "start"), "partners have met"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_figure_is_saved(opened, scheme, tmp_path):
    """As an SVG that needs no stylesheet, as a PNG of twice the size, its table and its bars as CSV and Parquet."""
    step = STEPS[0]
    page = opened(step["id"], color_scheme=scheme)
    answer(page, step)
    page.get_by_text("As a table or a file").click()
    files = {}
    for what, kind in (*product(("figure",), ("SVG", "PNG")), *product(("table", "bars"), ("CSV", "Parquet"))):
        with page.expect_download() as told:
            page.get_by_role("button", name=f"Save the {what} as {kind}").click()
        name = f"{what} {kind}" if what == "bars" else kind
        files[name] = tmp_path / told.value.suggested_filename
        assert files[name].name == f"lesson-{step['id']}{'-bars' * (what == 'bars')}.{kind.lower()}"
        told.value.save_as(files[name])
    drawn = ElementTree.parse(files["SVG"]).getroot()
    words = [node.text for node in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert set(page.locator(".lesson .figure svg text").all_text_contents()) <= set(words)
    assert set(page.locator(".lesson .figure .legend li").all_inner_texts()) <= set(words)
    text = files["SVG"].read_text(encoding="utf-8")
    assert "var(" not in text and "class=" not in text and "color-mix" not in text
    with Image.open(files["PNG"]) as picture:
        wide, high = (int(float(drawn.get(side))) for side in ("width", "height"))
        assert abs(picture.width - 2 * wide) <= 2 and abs(picture.height - 2 * high) <= 2
        assert len(picture.convert("L").resize((40, 20)).getcolors()) > 5
        corner = sum(picture.convert("RGB").getpixel((1, 1)))
    assert corner > 600 if scheme == "light" else corner < 200
    numbers = LESSON["numbers"]["steps"][step["id"]]
    table = same_table(files["CSV"], files["Parquet"])
    assert table["cosine"].tolist() == numbers["before"]["examples"], "as they are, not as the page rounds them"
    assert table[["first", "second"]].to_numpy().tolist() == numbers["shared"]["examples"]
    bars = same_table(files["bars CSV"], files["bars Parquet"])
    assert bars["unrelated sentences"].sum() == sum(numbers["before"]["random"]) and bars["to"].iloc[-1] == 1


def same_table(text, parquet):
    """The table of a CSV file, which a Parquet file has too: numbers as numbers, with every digit."""
    table = pd.read_parquet(parquet)
    pd.testing.assert_frame_equal(table, pd.read_csv(text), check_dtype=False, check_exact=True)
    return table


def test_no_cell_is_a_formula_and_nothing_missing_is_a_number(opened, tmp_path):
    """The rule of the Python side, with texts that are somebody's."""
    texts = ["=1+1", "+1", "-0.5", "- a dash", "@x", "＝1", "\t=1", 'a "b", c', "one\r\ntwo", "a = b", "1e5", "-x1"]
    given = pd.DataFrame({"=text": texts, "number": [None, 0.1, *range(10)], "mixed": ["a", *map(str, range(11))]})
    rows = [[*given], *given.astype(object).where(given.notna(), None).to_numpy().tolist()]
    rows[2][2] = 0  # a number among texts
    made = "async ([rows, kind]) => [...new Uint8Array(await workbenchTables[kind](rows).arrayBuffer())]"
    page = opened()
    written = bytes(page.evaluate(made, [rows, "CSV"])).decode()
    python = csv_of(given).replace(".0\n", "\n")  # JavaScript writes 1, Python 1.0
    assert pd.read_csv(StringIO(written)).equals(pd.read_csv(StringIO(python)))
    assert written.splitlines()[:2] == ["'=text,number,mixed", "'=1+1,,a"]
    table = pd.read_parquet(BytesIO(bytes(page.evaluate(made, [rows, "Parquet"]))))
    assert table.equals(given)


def test_the_measures_of_the_film_have_colours_of_their_own(opened):
    page = opened("film")
    page.locator(".lesson .options button").first.click()
    inks = "(nodes) => nodes.map((node) => getComputedStyle(node).stroke)"
    lines = page.locator(".lesson .figure .path").evaluate_all(inks)
    sides = page.locator(".lesson .figure .rays").evaluate_all(inks)
    page.locator(".lesson input[type=range]").fill("9")
    sides += page.locator(".lesson .figure .rays").evaluate_all(inks)
    assert len({*lines, *sides}) == len(lines) + len(sides) == 4


def test_a_film_plays(opened):
    page = opened("film")
    page.locator(".lesson .options button").first.click()
    page.get_by_role("button", name="▶ Play").click()
    page.locator(".lesson .value", has_text=re.compile("^10$")).wait_for()
    page.get_by_role("button", name="■ Stop").click()


def test_the_page_from_the_first_step_to_the_last(reader):
    one = reader()
    page = one.open("learn")
    walk(page)
    page.wait_for_url("**/learn?step=augmentations")
    page.get_by_text("As a table or a file").click()
    page.route("**/tables.js", lambda route: route.abort())
    page.get_by_role("button", name="Save the table as Parquet").click()
    failed = page.get_by_text("Not saved. Is the app still running?")
    failed.wait_for()
    page.locator(".lesson .knobs select").first.select_option(index=1)
    assert not failed.count(), "what would be saved is another table"
    page.get_by_role("button", name="Save the table as Parquet").click()
    failed.wait_for()
    # Of clicks that follow each other before the app has written the address, the browser's Back knows one.
    page.get_by_role("button", name="← Back").click()
    page.wait_for_url(f"**/learn?step={STEPS[-2]['id']}")
    page.get_by_role("button", name="Next →").click()
    page.wait_for_url(f"**/learn?step={STEPS[-1]['id']}")
    titled(page, STEPS[-1])
    page.get_by_text("As a table or a file").click()
    assert not failed.count(), "nor is it said of another step"
    page.unroute("**/tables.js")
    with page.expect_download() as told:
        page.get_by_role("button", name="Save the table as Parquet").click()
    page.get_by_text("Not saved.").wait_for(state="detached")
    numbers = LESSON["numbers"]["steps"][STEPS[-1]["id"]]
    assert pd.read_parquet(told.value.path())["cosine before training"].tolist() == numbers["before"]["cosine"]
    page.go_back()
    titled(page, STEPS[-2])
    one.settled()


def test_a_step_is_computed_on_the_page_with_a_run(reader, finished):
    one = reader()
    page = one.open(f"learn?step=mean&after={finished.id}")
    answer(page, next(step for step in STEPS if step["id"] == "mean"))
    page.get_by_role("button", name="Compute it here").click()
    page.get_by_text("Computed here. Before: mini-mlm").wait_for(timeout=120_000)
    page.get_by_role("button", name="Teacher's notes").click()
    page.get_by_text("These notes are about the shipped numbers.").wait_for()
    page.get_by_role("button", name="Show the shipped numbers").click()
    page.get_by_text("Shipped numbers: mini-mlm").wait_for()
    page.get_by_text("These notes are about the shipped numbers.").wait_for(state="detached")
    one.settled()
    page.reload()
    page.get_by_text("Shipped numbers: mini-mlm").wait_for()
    assert page.locator(".lesson .finding p").count(), "the prediction is still there"
    one.settled()
    page.emulate_media(media="print")
    for part in (".lesson h2", ".lesson .finding", ".lesson .figure svg"):
        assert page.locator(part).first.is_visible(), "printed, since there is no handout in the page"
    for part in (".lesson header", ".lesson footer", ".lesson .knobs"):
        assert not page.locator(part).is_visible()


def test_two_encoders_without_a_training_have_no_steps(reader, finished):
    one = reader()
    page = one.open("learn?step=film&after=minilm-l3")
    answer(page, next(step for step in STEPS if step["id"] == "film"))
    page.locator(".lesson input[type=range]").fill("7")  # a frame that two encoders have not
    page.get_by_role("button", name="Compute it here").click()
    page.get_by_text("Computed here. Before: mini-mlm").wait_for(timeout=120_000)
    assert "steps of" not in page.locator(".lesson .question").inner_text()
    assert page.locator(".lesson .knobs label").inner_text() == "Encoder after"
    page.locator(".lesson input[type=range]").fill("0")
    assert page.locator(".lesson .knobs label").inner_text() == "Encoder before"
    one.settled()


def test_axe_finds_nothing_in_any_step(opened):
    page = opened()
    for step in STEPS:
        titled(page, step)
        answer(page, step, right=False)
        page.locator(".lesson summary").click()
        for scheme, rules in (("light", None), ("dark", OF_COLOURS)):
            page.emulate_media(color_scheme=scheme)
            page.evaluate(IDLE)
            found = [
                f"{step['id']}, {scheme}: {rule['impact']} {rule['id']}: {node['html'][:160]} {node['failureSummary']}"
                for rule in violations(page, rules)
                for node in rule["nodes"]
            ]
            assert found == []
        if step is not STEPS[-1]:
            page.get_by_role("button", name="Next →").click()
