"""From Compare over its rows and verdict to the report, and the report opened from disk without a network."""

from workbench.ui.kit.choosing_rows import HINT


def test_a_report_is_written_downloaded_and_opens_offline(reader, browser, tmp_path):
    visitor = reader()
    page = visitor.open("compare?targets=mini-mlm&targets=tfidf&targets=mini-mlm%2Bcentre&against=mini-mlm")
    page.get_by_text("Against mini-mlm").first.wait_for(timeout=60_000)
    rows_choose(page, visitor)
    page.get_by_label("Question").fill("Does an encoder pay?")
    page.get_by_label("Question").press("Enter")
    page.get_by_text("Write the report").click()
    saved = page.get_by_text("The report, one HTML file")
    saved.wait_for(timeout=60_000)
    visitor.settled()
    with page.expect_download() as download:
        saved.click()
    assert download.value.suggested_filename == "does-an-encoder-pay.html"
    download.value.save_as(tmp_path / "report.html")
    visitor.settled()
    for width, scheme in ((1280, "dark"), (400, "light")):
        offline(browser, (tmp_path / "report.html").as_uri(), width, scheme)


def rows_choose(page, visitor):
    """A click on a row keeps its method alone in the plots, and Enter in another row adds that one and keeps the focus."""
    page.get_by_text(HINT).wait_for()  # from then on rows are listened to
    page.locator("tr.chooses[data-value=tfidf] td").nth(1).click()
    page.locator("tr.dimmed").nth(3).wait_for()
    visitor.settled()
    assert page.locator("#plane, .st-key-plane").locator("text=TF-IDF").count() and "shown=tfidf" in page.url
    page.locator("tr.chooses[data-value=mini-mlm] button").first.press("Enter")
    page.locator("tr.dimmed").nth(2).wait_for(state="detached")
    assert page.evaluate("document.activeElement.closest('tr')?.dataset.value") == "mini-mlm"


AT_ONCE = """new MutationObserver((_, observer) => {
  const cell = document.querySelectorAll("tr.chooses[data-value=tfidf] td")[1];
  if (!cell) return;
  observer.disconnect();
  cell.click();
}).observe(document, { childList: true, subtree: true })"""
"""Clicks a row as soon as it is there."""


def test_a_row_that_is_clicked_the_moment_it_appears_chooses(reader):
    """Once its numbers are known, the table is there before what listens to it is loaded."""
    visitor = reader()
    page = visitor.open("compare?targets=mini-mlm&targets=tfidf&targets=minilm-l3&against=mini-mlm")
    page.locator("tr.chooses[data-value=tfidf]").first.wait_for(timeout=60_000)
    visitor.settled()
    page.add_init_script(AT_ONCE)
    page.reload()
    page.locator("tr.dimmed[data-value=mini-mlm]").first.wait_for()
    page.wait_for_url("**shown=tfidf**")
    visitor.settled()


CUT = """[...document.querySelectorAll("[data-drawn] text")].filter((text) => {
  const box = text.getBoundingClientRect(), figure = text.closest("[data-drawn]").getBoundingClientRect();
  return box.width && (box.left < figure.left - 1 || box.right > figure.right + 1);
}).map((text) => text.textContent)"""
"""The texts of figures that reach beyond them."""


def offline(browser, address, width, scheme):
    """The file draws its figures, asks for nothing, complains of nothing, and neither it nor a text of a figure is wider than the
    window; on paper its figures are white.
    """
    context, wrong = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme), []
    context.set_offline(True)
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("request", lambda request: None if request.url.startswith("file:") else wrong.append(request.url))
    page.goto(address)
    page.locator("#figure-forest[data-drawn] .scatterlayer .points path").first.wait_for()
    assert page.locator("[data-drawn]").count() == page.locator("[data-figure]").count() >= 3
    assert page.locator("h1").inner_text() == "Does an encoder pay?"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    paper = page.evaluate("document.querySelector('#figure-forest .main-svg').style.background")
    assert (paper == "rgb(18, 22, 29)") == (scheme == "dark")
    assert page.evaluate(CUT) == []
    page.emulate_media(media="print")
    page.locator("#figure-forest .main-svg[style*='background: rgb(255, 255, 255)']").first.wait_for()
    context.close()
    assert not wrong
