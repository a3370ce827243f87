"""Train with its defaults, in a window of a small laptop and of a phone, and by keyboard."""

import pytest

from tests.trial import until

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
