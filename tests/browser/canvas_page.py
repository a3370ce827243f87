"""Linked views alone on a page, without Streamlit: what the component is given, and what it sends."""

import base64

from tests.trial import until
from workbench.core.paths import shipped
from workbench.ui.canvas import Chosen, pack

ADDRESS = "http://canvas.invalid/"
THEMES = {
    "light": {"background": "#FCFAF5", "text": "#1A2230", "primary": "#33465E", "link": "#1F4E79"},
    "dark": {"background": "#12161D", "text": "#E8E3D6", "primary": "#9DB2CC", "link": "#8FBDE6"},
}
_PAGE = """<!doctype html><html lang="en"><title>Linked views</title><style>
  body {{ margin: 16px; background: {background}; color: {text}; color-scheme: {scheme}; }}
  #host {{ --st-background-color: {background}; --st-text-color: {text}; --st-primary-color: {primary}; --st-link-color: {link};
    --st-font: sans-serif; --st-heading-font: serif; }}
</style><main><h1>Linked views</h1><div id="host"></div></main>
<script type="module">
  import show from "/canvas.js";
  const root = document.getElementById("host").attachShadow({{ mode: "open" }});
  const style = document.createElement("style");
  style.textContent = await (await fetch("/canvas.css")).text();
  root.append(style);
  const setStateValue = (name, value) => (window.sent = value);
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  window.show = (text) => (window.stop = show({{ data: bytes(text), parentElement: root, setStateValue }}));
</script></html>"""


class CanvasPage:
    """A browser's page with the linked views of a scene."""

    def __init__(self, browser, scene, *, width=1100, theme="light"):
        self.context = browser.new_context(viewport={"width": width, "height": 1000}, reduced_motion="reduce")
        self.page = self.context.new_page()
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)
        folder = shipped("assets", "canvas")
        html = _PAGE.format(**THEMES[theme], scheme=theme)
        served = {
            "": ("text/html", html),
            "canvas.js": ("text/javascript", (folder / "canvas.js").read_text(encoding="utf-8")),
            "canvas.css": ("text/css", (folder / "canvas.css").read_text(encoding="utf-8")),
        }

        def answer(route):
            kind, body = served.get(route.request.url.removeprefix(ADDRESS), ("text/plain", ""))
            route.fulfill(content_type=kind, body=body)

        self.page.route("**/*", answer)
        self.page.goto(ADDRESS)
        self.page.wait_for_function("window.show !== undefined")
        self.show(scene)

    def show(self, scene, **more):
        """Give it a scene, as a rerun does."""
        self.scene = scene
        self.page.evaluate("text => window.show(text)", base64.b64encode(pack(scene, **more)).decode())
        self.page.locator(".panel").first.wait_for()

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
        written = self.page.evaluate("const sent = window.sent; window.sent = undefined; sent")
        return Chosen.read(self.scene, written)

    def painter(self, title):
        return self.panel(title).locator("[data-painter]").get_attribute("data-painter")

    def close(self):
        assert not self.errors
        self.context.close()
