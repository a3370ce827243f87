"""Linked views alone on a page, and a reader of them: what they are given, what is done, and what they send."""

from experiments.canvas.page import LinkedPage
from tests.trial import until
from workbench.ui.canvas import Chosen


class CanvasPage:
    """A browser's page with the linked views of a scene."""

    def __init__(self, browser, scene, *, width=1100, theme="light"):
        self.context = browser.new_context(viewport={"width": width, "height": 1000}, reduced_motion="reduce")
        self.page = self.context.new_page()
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)
        self.linked = LinkedPage(self.page, theme=theme)
        self.heard = None
        self.show(scene)

    def show(self, scene, **selections):
        """Give it a scene, as a rerun does."""
        self.scene = scene
        self.linked.show(scene, before=self.heard, **selections)

    def panel(self, title):
        return self.page.locator(f'.panel[aria-label="{title}"]')

    def box(self, title):
        """Left, top, width and height of a panel's plot, scrolled into sight."""
        plot = self.panel(title).locator(".plot")
        plot.scroll_into_view_if_needed()
        return [plot.bounding_box()[name] for name in ("x", "y", "width", "height")]

    def drag(self, title, *corners, keys=()):
        """Drag over a plot, along corners in shares of its width and height."""
        left, top, width, height = self.box(title)
        points = [(left + x * width, top + y * height) for x, y in corners]
        for key in keys:
            self.page.keyboard.down(key)
        self.page.mouse.move(*points[0])
        self.page.mouse.down()
        for point in points[1:]:
            self.page.mouse.move(*point, steps=5)
        self.page.mouse.up()
        for key in keys:
            self.page.keyboard.up(key)

    def counts(self):
        """How many rows each panel says that it marks, by title."""
        panels = self.page.locator(".panel").all()
        return {panel.get_attribute("aria-label"): int(panel.get_attribute("data-selected")) for panel in panels}

    def chosen(self):
        """What Python is sent, once it is."""
        until(lambda: self.page.evaluate("window.sent !== undefined"), 5)
        self.heard = self.page.evaluate("const sent = window.sent; window.sent = undefined; sent")
        return Chosen.read(self.scene, self.heard)

    def painter(self, title):
        return self.panel(title).locator("[data-painter]").get_attribute("data-painter")

    def close(self):
        assert not self.errors
        self.context.close()
