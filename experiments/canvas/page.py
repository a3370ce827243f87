"""Linked views alone on a page of a browser, without Streamlit: for measurements, and for tests."""

from typing import Any

from experiments.canvas import BUILT
from workbench.core.paths import shipped
from workbench.plots.template import DARK, LIGHT
from workbench.ui.canvas import Scene, pack

ADDRESS = "http://canvas.invalid/"
THEMES = {
    "light": {
        "background": "#FCFAF5",
        "text": "#1A2230",
        "primary": "#33465E",
        "link": "#1F4E79",
        "series": ",".join(LIGHT.series),
    },
    "dark": {
        "background": "#12161D",
        "text": "#E8E3D6",
        "primary": "#9DB2CC",
        "link": "#8FBDE6",
        "series": ",".join(DARK.series),
    },
}
SOFTWARE_WEBGL = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
"""Flags of Chromium for WebGL without a GPU."""
_PAGE = """<!doctype html><html lang="en"><title>Linked views</title><style>
  body {{ margin: 16px; background: {background}; color: {text}; color-scheme: {scheme}; }}
  #host {{ --st-background-color: {background}; --st-text-color: {text}; --st-primary-color: {primary}; --st-link-color: {link};
    --st-chart-categorical-colors: {series}; --st-font: sans-serif; --st-heading-font: serif; }}
</style><main><h1>Linked views</h1><div id="host"></div></main>
<script type="module">
  import show from "/canvas.js";
  const root = document.getElementById("host").attachShadow({{ mode: "open" }});
  const style = document.createElement("style");
  style.textContent = await (await fetch("/canvas.css")).text();
  root.append(style);
  const setStateValue = (name, value) => (window.sent = value);
  window.show = async (address) => {{
    const data = new Uint8Array(await (await fetch(address)).arrayBuffer());
    window.began = performance.now();
    window.stop = show({{ data, parentElement: root, setStateValue }});
  }};
</script></html>"""


class LinkedPage:
    """Linked views on `page`, a Playwright page; no request leaves it."""

    def __init__(self, page: Any, *, theme: str = "light") -> None:
        self.page = page
        folder = shipped("assets", "canvas")
        self._served: dict[str, tuple[str, bytes]] = {
            "": ("text/html", _PAGE.format(**THEMES[theme], scheme=theme).encode()),
            **{name: ("text/javascript", (folder / name).read_bytes()) for name in BUILT},
            "canvas.css": ("text/css", (folder / "canvas.css").read_bytes()),
        }
        page.route("**/*", self._answer)
        page.goto(ADDRESS)
        page.wait_for_function("window.show !== undefined")

    def _answer(self, route: Any) -> None:
        kind, body = self._served.get(route.request.url.removeprefix(ADDRESS), ("text/plain", b""))
        route.fulfill(content_type=kind, body=body)

    def show(self, scene: Scene, **selections: Any) -> int:
        """Show a scene, as a rerun does; the size of what was packed, in bytes."""
        packed = pack(scene, **selections)
        self._served["scene"] = ("application/octet-stream", packed)
        self.page.evaluate("window.show('/scene')")
        self.page.locator(".panel").first.wait_for()
        return len(packed)
