"""What axe-core finds on every page, in every state and in both themes, and what can be done without a mouse."""

import pytest

from tests.browser.axe import OF_COLOURS, violations
from tests.browser.reader import Reader, served
from tests.trial import until
from workbench.ui.kit.glossary import MEANINGS

THEMES = {"light": "rgb(252, 250, 245)", "dark": "rgb(18, 22, 29)"}
"""The ground of the page in each theme."""
FAULTY = """
<p style="color: #BBB; background: #FFF">pale</p><h4>deep</h4><table><tr><th></th><td>1</td></tr></table>
<div style="height: 20px; width: 90px; overflow: auto"><p style="height: 90px">tall</p></div>
"""
WATCH = """() => {
  window.watched?.disconnect();
  window.redrawn = Boolean(document.querySelector('[data-stale=true], [data-test-script-state=running]'));
  window.watched = new MutationObserver(() => { window.redrawn = true });
  const attributeFilter = ['data-stale', 'data-test-script-state'];
  window.watched.observe(document.body, { subtree: true, attributes: true, attributeFilter });
}"""
REDRAWN = "() => { window.watched.disconnect(); return window.redrawn }"
"""Notes from then on whether the page is drawn again; ends that, and says whether it was."""
STREAMLITS = {"presentation-role-conflict"}
"""A finding (minor) about the box for uploads, which is Streamlit's."""

EMPTY = ["", "learn", "train", "runs", "compare", "explore"]
STATES = {
    "home": ("", ".facts"),
    "train": ("train", "text=Start training"),
    "a run": ("runs?run={run}", ".sheet"),
    "compare": ("compare?targets={run}&targets=mini-mlm&targets=tfidf&pairs=demo:dev", ".sheet"),
    "sweeps": ("compare?compare=sweeps", ".notice"),
    "film": ("runs?run={run}&film=open", ".film canvas"),
    "linked": ("explore?target={run}&beside=mini-mlm", ".panel"),
    "gallery": ("gallery", "text=UNA replaces"),
    "cone": ("explore?target={run}&view=The+cone", ".facts"),
    "views": ("explore?view=Dropout+views&projection=pca", ".sheet"),
    "margin": ("explore?view=Margin", ".js-plotly-plot"),
    "one cosine": ("explore?view=One+cosine", ".js-plotly-plot"),
    "learn": ("learn?step=layers", ".lesson h2"),
    "augment": ("augment?augment_a=eda_swap", ".draw"),
    "a whole corpus": ("augment?tab=corpus", "text=Texts in the sample"),
    "in the space": ("augment?tab=space&space.n=40", ".js-plotly-plot"),
    "rate": ("gold", ".notice"),
    "judge": ("gold?gold.tab=blind", ".notice"),
    "fill": ("augment?tab=fill", "text=pieces of its vocabulary"),
    "no such pairs": ("compare?targets=mini-mlm&pairs=/nowhere/pairs.tsv", "[data-testid=stAlert]"),
    "no such corpus": ("train?source=path&corpus=/nowhere/corpus.txt", "[data-testid=stAlert]"),
    "no such target": ("explore?target=nobody", ".notice"),
    "no such method": ("augment?augment_a=nothing", "[data-testid=stAlert]"),
}
"""Of each state: its address, and what stands on the page once it is complete."""


@pytest.fixture(scope="module")
def visitor(shared, app):
    """One reader for all states."""
    one = Reader(shared, app)
    yield one
    one.page.close()


def findings(one):
    """What axe-core objects to, in both themes, as lines: theme, impact, rule, element, what is wrong.

    First in the theme that the page is in, because in another all of it is drawn again. There only colours differ.
    """
    found, page = [], one.page
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    rules = None
    for theme, ground in sorted(THEMES.items(), reverse=not dark):
        page.emulate_media(color_scheme=theme)
        page.wait_for_function(
            "ground => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor === ground",
            arg=ground,
            polling=100,
        )
        page.wait_for_timeout(400)  # colours fade from one theme to the other
        found += [
            f"{theme}: {rule['impact']} {rule['id']}: {node['html'][:200]} {node['failureSummary']}"
            for rule in looked_at(one, rules)
            if rule["id"] not in STREAMLITS
            for node in rule["nodes"]
        ]
        rules = OF_COLOURS
    return found


def looked_at(one, rules):
    """The rules that the page violates, not only because it was drawn again meanwhile, as after a change of the theme.

    On a slow machine that begins late, and what is still of the drawing before is pale until its turn comes.
    """
    page = one.page
    for _ in range(5):
        one.settled()
        page.evaluate("() => new Promise(done => setTimeout(done, 300))")  # by the page's clock, which may be behind
        page.evaluate(WATCH)
        found = violations(page, rules)
        if not page.evaluate(REDRAWN) or not found:
            break
    return found


def open_all(one):
    """Open every expander, those inside others too."""
    for _ in range(2):
        one.page.evaluate("for (const box of document.querySelectorAll('details:not([open]) > summary')) box.click()")
        one.page.wait_for_timeout(300)
        one.settled()


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_on_any_page(visitor, finished, state):
    path, complete = STATES[state]
    page = visitor.open(path.format(run=finished.id))
    page.locator(complete).first.wait_for(timeout=120_000)
    visitor.settled()
    open_all(visitor)
    assert findings(visitor) == []


def test_axe_finds_nothing_where_there_is_no_run_yet(context, folder, tmp_path):
    with served(folder, tmp_path / "log.txt") as address:
        one = Reader(context, address)
        found = {}
        for path in EMPTY:
            page = one.open(path)
            page.wait_for_timeout(300)
            one.settled()
            found[path] = findings(one)
    assert found == {path: [] for path in EMPTY}


def test_axe_would_find_it(visitor):
    """The check can fail: pale text, a heading that skips two levels, a table head without words, a box without focus."""
    page = visitor.open("compare?compare=sweeps")
    page.locator(".notice").wait_for()
    visitor.settled()
    page.locator("[data-testid=stMain]").evaluate("(main, more) => main.insertAdjacentHTML('beforeend', more)", FAULTY)
    found = findings(visitor)
    for theme in THEMES:
        assert any(line.startswith(f"{theme}: ") and " color-contrast: " in line for line in found)
    for rule in ("heading-order", "empty-table-header", "scrollable-region-focusable"):
        assert any(f" {rule}: " in line for line in found)


def test_the_meaning_of_a_word_stands_beside_it_for_mouse_and_keyboard(reader):
    one = reader(width=400)
    page = one.open("explore?target=mini-mlm&beside=")
    word = page.locator(".term", has_text="gold").first
    word.wait_for(timeout=120_000)
    one.settled()
    box = page.locator(".meaning")
    assert box.count() == 0
    word.focus()
    box.wait_for()
    assert box.inner_text() == MEANINGS["gold"]
    assert word.get_attribute("aria-describedby") == box.get_attribute("id")
    at = box.bounding_box()
    assert at["x"] >= 0 and at["x"] + at["width"] <= 400
    page.keyboard.press("Escape")
    box.wait_for(state="detached")
    word.blur()
    word.hover()
    box.wait_for()
    page.mouse.move(1, 1)
    box.wait_for(state="detached")


def test_a_box_that_scrolls_takes_the_focus_and_the_keys_and_one_that_does_not_is_no_stop(reader):
    one = reader()
    page = one.open()
    one.settled()
    page.get_by_text("How these numbers were made").click()
    box = page.locator("[data-testid=stCode] pre", has_text="[model]").first
    box.wait_for()
    until(lambda: box.get_attribute("tabindex") == "0", 10)
    box.focus()
    page.keyboard.press("End")
    until(lambda: box.evaluate("box => box.scrollTop") > 20, 10)
    short = page.locator("[data-testid=stCode] pre", has_text="experiments.demo stsb")
    assert short.get_attribute("tabindex") is None
    box.evaluate("box => { box.style.maxHeight = 'none'; box.style.height = 'auto'; box.textContent = 'short' }")
    until(lambda: box.get_attribute("tabindex") is None, 10)  # nothing is left to scroll


def test_verdicts_fit_a_narrow_screen_and_a_wider_table_says_that_it_goes_on(reader, finished):
    one = reader(width=420)
    page = one.open(f"compare?targets={finished.id}&targets=mini-mlm&pairs=demo:dev")
    verdicts = page.locator(".sheet:has(th:has-text('Verdict'))").first
    verdicts.wait_for(timeout=120_000)
    one.settled()
    assert verdicts.evaluate("box => box.scrollWidth <= box.clientWidth")
    name, score = verdicts.locator("tbody tr").first.locator("td").all()[:2]
    assert score.bounding_box()["y"] >= name.bounding_box()["y"] + name.bounding_box()["height"] - 1
    assert verdicts.get_attribute("data-wider") is None
    page.set_viewport_size({"width": 1300, "height": 900})
    until(lambda: score.bounding_box()["y"] == name.bounding_box()["y"], 10)
    verdicts.locator("th").first.evaluate("cell => { cell.style.minWidth = '70rem' }")
    page.set_viewport_size({"width": 1301, "height": 900})
    until(lambda: verdicts.get_attribute("data-wider") is not None, 10)
    assert "linear-gradient" in verdicts.evaluate("box => getComputedStyle(box).backgroundImage")
