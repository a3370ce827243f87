"""Train with its defaults, in a window of a small laptop and of a phone, by keyboard, and faster than the app."""

import pytest

from tests.trial import until
from workbench.store.run import Run

MOST_STOPS = 15
"""Presses of Tab from the top of the page to the button, those over the links of the menu included."""
IN_SIGHT = """button => {
  const box = button.getBoundingClientRect();
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth && button.contains(top);
}"""


def start(page):
    return page.get_by_role("button", name="Start training", exact=True)


def scrolled(page, part):
    """Scroll to that part of the page's height."""
    page.locator("[data-testid=stMain]").evaluate("(main, part) => main.scrollTo(0, part * main.scrollHeight)", part)


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 400)])
def test_start_is_in_sight_without_scrolling_and_while_scrolling(reader, theme, width):
    one = reader(theme=theme, width=width)
    one.page.set_viewport_size({"width": width, "height": 800})
    page = one.open("train")
    one.settled()
    for part in (0, 0.3, 0.6, 1):
        scrolled(page, part)
        until(lambda: start(page).evaluate(IN_SIGHT), 10)
        assert start(page).is_enabled()


def test_start_is_few_tab_stops_from_the_top(reader):
    one = reader()
    one.page.set_viewport_size({"width": 1280, "height": 800})
    page = one.open("train")
    one.settled()
    start(page).wait_for()
    stops = []
    while len(stops) < MOST_STOPS and (not stops or stops[-1] != "Start training"):
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.innerText || document.activeElement.ariaLabel"))
    assert stops[-1] == "Start training", stops
    assert page.locator("[tabindex]:not([tabindex='0']):not([tabindex='-1'])").count() == 0, (
        "the order is the page's own"
    )


def test_a_field_that_gets_the_focus_is_not_hidden_by_the_bar(reader):
    one = reader(width=1280)
    page = one.open("train")
    one.settled()
    scrolled(page, 1)
    for _ in range(30):
        page.keyboard.press("Shift+Tab")
        covered = page.evaluate(
            """() => {
              const focused = document.activeElement, bar = document.querySelector('.st-key-start-bar');
              if (!bar || bar.contains(focused) || focused.contains(bar)) return '';
              const here = focused.getBoundingClientRect(), there = bar.getBoundingClientRect();
              return here.height && here.bottom <= there.bottom ? focused.outerHTML.slice(0, 200) : '';
            }"""
        )
        assert not covered


BEFORE_THE_ADDRESS = """
const listen = WebSocket.prototype.addEventListener;
let sent = false;
WebSocket.prototype.addEventListener = function (kind, take, ...rest) {
  listen.call(this, kind, kind !== "message" ? take : (event) => {
    if (!sent && new TextDecoder("latin1").decode(event.data).includes("evaluation.pairs%3D%5B%5D")) {
      sent = true;
      const expander = [...document.querySelectorAll("summary")].find((one) => one.innerText.includes("Pooling and head"));
      setTimeout(() => expander.click(), 600);
      setTimeout(() => document.querySelector(".st-key-start button").click(), 650);
    }
    setTimeout(() => take(event), sent ? 2000 : 0);
  }, ...rest);
};
"""
"""A browser that has no time yet for the address which the app sends, while an expander is opened and Start is pressed."""


def test_what_is_started_at_once_after_a_change_is_what_the_form_shows(reader, runs):
    """Start is pressed while the app redraws the page, and the browser's address does not have the change yet."""
    one = reader()
    one.page.add_init_script(BEFORE_THE_ADDRESS)
    page = one.open("train?set=training.steps%3D2&set=training.batch_size%3D8")
    until(lambda: start(page).is_enabled(), 60)
    one.settled()
    evaluated = page.get_by_test_id("stMultiSelect").filter(has_text="Pair sets for the final evaluation")
    evaluated.get_by_label("Clear all").click()
    page.wait_for_url("**/runs?*run=*")
    run = next(run for run in map(Run, runs.run_folders()) if run.id in page.url)
    assert (run.config.evaluation.pairs, run.config.training.steps) == ((), 2)
