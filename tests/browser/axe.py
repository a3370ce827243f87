"""What axe-core objects to on a page, in one theme and in another."""

import pytest

OF_COLOURS = {
    "runOnly": {"type": "tag", "values": ["cat.color"]},
    "rules": {"color-contrast-enhanced": {"enabled": False}},  # nor is it among all rules
}
"""Only rules whose findings may be others where only the theme is another."""
IDLE = """async () => {
  // Chromium may call back only after a frame, which a page that is still does not draw by itself.
  const idle = () => new Promise(done => requestAnimationFrame(() => requestIdleCallback(done, {timeout: 2000})));
  await idle();
  const moving = document.getAnimations().filter(one => one.effect.getComputedTiming().endTime !== Infinity);
  await Promise.allSettled(moving.map(one => one.finished));
  await idle();
}"""
"""Ends once the page has nothing left to do, and what moves or fades has come to its end."""


def violations(page, options=None):
    """The rules that the page violates, of all or of those that `options` name. axe-core is put into it once."""
    why = "NO AXE: pip install -r requirements-test.txt"
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=why).Axe()
    if page.evaluate("window.axe === undefined"):
        page.evaluate(axe.axe_script)
    given = {"resultTypes": ["violations"], **(options or {})}
    return page.evaluate("options => axe.run(options)", given)["violations"]
