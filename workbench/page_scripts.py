"""Scripts in the page, for what Streamlit has no place for: Back by actions, boxes that the keys scroll, news for screen readers,
meanings of words, figures as files, clicks that come early, keys where a step was removed, pages that Streamlit gave up, and
changes of the theme.

With them goes a hint to load what draws figures. Streamlit loads that only once a page has a figure, and it is the largest file.
What writes tables as files is not in the page: it is loaded when a table is first saved.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.core.paths import shipped

_SCRIPTS = b"".join(
    b"<script>" + shipped("assets", name).read_bytes() + b"</script>"
    for name in (
        "history.js",
        "scrolling.js",
        "pressed_ahead.js",
        "glossary.js",
        "figures_ahead.js",
        "saving.js",
        "steps.js",
        "reopening.js",
        "recolouring.js",
    )
)
_TABLES = shipped("assets", "canvas", "tables.js")
_DRAWS = "PlotlyChart.*.js"
_END = b"</head>"
_AS_IT_IS = {b"accept-encoding", b"if-none-match", b"if-modified-since", b"range"}
"""What a request for the page does not say to the app: the answer has to be the whole page, readable here."""


class PageScripts:
    """Middleware: the scripts run before anything of Streamlit's does. All but pages passes unchanged."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the app's answer; if that is a page, with the scripts in its head."""
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self.app(scope, receive, send)
            return
        kept = [(name, value) for name, value in scope["headers"] if name not in _AS_IT_IS]
        begun: Message | None = None
        page = b""

        async def send_scripted(message: Message) -> None:
            nonlocal begun, page
            if message["type"] == "http.response.start" and _is_page(message):
                begun = message
            elif begun is None:
                await send(message)
            else:
                page += message.get("body", b"")
                if not message.get("more_body", False):
                    page = page.replace(_END, _ahead() + _SCRIPTS + _END, 1)
                    headers = MutableHeaders(scope=begun)
                    for name in ("etag", "last-modified"):  # they are of the page without the scripts
                        del headers[name]
                    del headers["content-length"]
                    if scope["method"] != "HEAD":
                        headers["content-length"] = str(len(page))
                    await send(begun)
                    await send({"type": "http.response.body", "body": page})

        await self.app({**scope, "headers": kept}, receive, send_scripted)


def loaded_later(base: str) -> Route:
    """Where a page loads what writes tables as files, below the path at which the app is served."""

    def answer(_: Request) -> FileResponse:
        return FileResponse(_TABLES, media_type="text/javascript")

    return Route(f"{base and '/'}{base}/{_TABLES.name}", answer)


def _is_page(start: Message) -> bool:
    headers = Headers(raw=list(start.get("headers", ())))
    return headers.get("content-type", "").startswith("text/html") and "content-encoding" not in headers


@cache
def _ahead() -> bytes:
    """Links by which the browser loads early what draws figures; none if this Streamlit names its files otherwise."""
    spec = find_spec("streamlit")
    assert spec and spec.origin
    files = sorted((Path(spec.origin).parent / "static" / "static" / "js").glob(_DRAWS))
    return b"".join(
        b'<link rel="modulepreload" crossorigin href="./static/js/%s">' % file.name.encode() for file in files
    )
