"""What can be done without a mouse, and what a screen reader is given."""

from tests.trial import until


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
