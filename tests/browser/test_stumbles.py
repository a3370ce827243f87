"""What newcomers stumbled over: each flow as they tried it."""

import re
from urllib.parse import quote

from tests.trial import until


def at(page, pattern, heading):
    """Wait until the address and the page agree."""
    page.wait_for_url(re.compile(pattern))
    page.get_by_role("heading", name=heading, exact=True).first.wait_for()


def link(page, name):
    page.get_by_role("link", name=name, exact=True).first.click()


def test_back_leaves_one_page_for_the_other_with_its_own_address(reader, app):
    one = reader()
    page = one.open("compare?targets=minilm-l3&targets=tfidf&pairs=demo:traps")
    at(page, r"/compare\?targets=minilm-l3&targets=tfidf&pairs=demo", "Compare")
    for name in ("Train", "Compare", "Train"):
        link(page, name)
        at(page, f"/{name.lower()}", name)
        one.settled()
    page.go_back()
    at(page, r"/compare\?targets=minilm-l3&targets=tfidf&pairs=demo(:|%3A)traps$", "Compare")
    one.settled()
    page.go_back()
    at(page, r"/train$", "Train")
    one.settled()
    page.go_back()
    at(page, r"/compare\?targets=minilm-l3&targets=tfidf&pairs=demo(:|%3A)traps$", "Compare")
    one.settled()
    before = page.evaluate("history.length")
    assert before == 5, "the empty page, and one entry for each page opened"


def test_back_goes_through_the_tabs_of_explore(reader):
    one = reader()
    page = one.open("explore")
    one.settled()
    opened = ["Linked views", "Dropout views", "Layers"]

    def shown(name):
        return page.get_by_role("tab", name=name, exact=True).get_attribute("aria-selected") == "true"

    for name in opened[1:]:
        page.get_by_role("tab", name=name, exact=True).click()
        page.wait_for_url(f"**view={name.replace(' ', '+')}")
        one.settled()
    for name in opened[-2::-1]:
        page.go_back()
        until(lambda name=name: shown(name), 30)
        one.settled()
    assert "/explore" in page.url and "view=" not in page.url


LONG = " ".join(["The quick brown fox jumps over the lazy dog."] * 1112)
"""About 10,000 words."""
HEBREW = "שלום עולם, זה משפט בעברית."


def height(page):
    return page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")


def test_a_line_of_ten_thousand_words_leaves_the_page_its_size(reader, runs):
    runs.corpora.mkdir(mode=0o700, parents=True, exist_ok=True)
    (runs.corpora / "long.txt").write_text(f"A short one.\n{LONG}\nAnother one.\n", encoding="utf-8")
    one = reader()
    page = one.open(f"augment?from=set&source=path&corpus={quote(str(runs.corpora / 'long.txt'))}")
    box = page.locator(".passage.long").first
    box.wait_for(timeout=120_000)
    one.settled()
    assert height(page) < 5_000
    assert len(box.inner_text()) > 40_000, "all of it is there"
    box.focus()
    page.keyboard.press("End")
    until(lambda: box.evaluate("box => box.scrollTop") > 1000, 10)


def test_hebrew_stands_right_to_left_in_text_and_in_its_field(reader):
    one = reader()
    page = one.open(f"augment?text={quote(HEBREW)}")
    shown = page.locator(".draw .passage").first
    shown.wait_for(timeout=120_000)
    one.settled()
    assert shown.evaluate("text => getComputedStyle(text).direction") == "rtl"
    assert page.locator("textarea").first.evaluate("field => getComputedStyle(field).unicodeBidi") == "plaintext"


def test_an_open_tab_is_in_sight_on_a_narrow_screen(reader):
    one = reader(width=400)
    page = one.open("explore?view=Layers")
    tab = page.get_by_role("tab", name="Layers", exact=True)
    tab.wait_for()

    def inside():
        edges = "box => [box.getBoundingClientRect().left, box.getBoundingClientRect().right]"
        left, right = tab.evaluate(edges)
        first, last = page.get_by_role("tablist").first.evaluate(edges)
        return first <= left and right <= last

    until(inside, 30)
    page.get_by_role("tablist").first.evaluate("row => row.scrollLeft = 0")
    page.wait_for_timeout(600)
    assert not inside(), "and afterwards the row is the reader's to scroll"
    one.settled()


def test_figures_follow_a_theme_that_changes_while_the_page_is_open(reader):
    one = reader(theme="light")
    page = one.open()
    one.settled(plots=3)
    paper = page.locator(".js-plotly-plot .main-svg").first
    light = paper.evaluate("svg => svg.style.background")
    page.emulate_media(color_scheme="dark")
    until(lambda: paper.evaluate("svg => svg.style.background") != light, 30)
    one.settled(plots=3)
    dark = paper.evaluate("svg => svg.style.background")
    page.emulate_media(color_scheme="light")
    until(lambda: paper.evaluate("svg => svg.style.background") == light != dark, 30)


def test_a_theme_that_changes_leaves_what_is_being_typed(reader):
    one = reader(theme="light")
    page = one.open(f"augment?text={quote('A man plays a guitar.')}")
    one.settled()
    field = page.locator("textarea").first
    field.fill("A dog runs.")
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(1500)  # in which the page runs again
    one.settled()
    assert field.input_value() == "A dog runs." and field.evaluate("field => field === document.activeElement")
