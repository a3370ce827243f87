"""Who may use the app: whoever has opened the address with the token, and only from the app's own pages. SECURITY.md says why.

Pure ASGI, in front of everything that Streamlit serves: pages, uploads, media, components, health and the WebSocket.
"""

import hmac
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any
from urllib.parse import quote, unquote_plus, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.core import private
from workbench.core.errors import WorkbenchError
from workbench.core.paths import shipped
from workbench.page_scripts import PageScripts, loaded_later
from workbench.store.access import path_of, token
from workbench.store.names import runs_folder

COOKIE_SECONDS = 30 * 86_400
LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PORTS = {"http": 80, "https": 443}
_SCHEMES = {"ws": "http", "wss": "https"}
_HEADERS = {
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    # Pages on other ports of this machine count as the same site, and the cookie goes along with what they embed.
    "Cross-Origin-Resource-Policy": "same-origin",
}
_UNQUOTED = "/:@!$&'(),=+*"
"""What browsers leave as it is in a path, besides letters and digits: they compare the path of a cookie with it as a text."""
_FORBIDDEN = shipped("assets", "forbidden.html")
_gates: list["Gate"] = []


class Gate:
    """Middleware. With a `token`, only requests with its cookie pass, and `?token=` becomes that cookie; with an empty one, all
    that name one of the `hosts` and come from the app's own pages. See `is_host` for `hosts`. `base` is the path at which the
    app is served, without slashes around it: all that a page asks for lies below.
    """

    def __init__(self, app: ASGIApp, *, token: str, hosts: Iterable[str] = LOOPBACK, base: str = "") -> None:
        self.app, self.token, self.hosts, self.base = app, token, tuple(hosts), base
        _gates.append(self)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it here."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.append(name, value)
            await send(message)

        answer = self.answer(scope)
        if answer is None:
            await self.app(scope, receive, send_guarded)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})  # before it was accepted: the server answers 403
        else:
            await answer(scope, receive, send_guarded)

    def answer(self, scope: Scope) -> Response | None:
        """What to answer in place of the app; None for what may pass."""
        headers = Headers(scope=scope)
        names = headers.getlist("host")
        scheme = str(_SCHEMES.get(scope["scheme"], scope["scheme"]))
        if len(names) != 1 or not is_host(names[0], self.hosts):
            return _plain(
                "This app does not answer to that host name. Start it with --server.allowedHosts NAME to allow another."
            )
        origins = headers.getlist("origin")
        # A browser names the origin of every WebSocket; of other requests, where a page of another origin may be behind them.
        if (origins or scope["type"] == "websocket") and origins != [f"{scheme}://{names[0]}"]:
            return _plain("This app does not answer to pages of other sites or ports.")
        cookie = cookie_name(names[0], scheme, self.base)
        known = not self.token or any(self.is_token(value) for value in _cookies(headers, cookie))
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            query, tokens = without_token(scope["query_string"].decode("latin-1"))
            fresh = bool(self.token) and any(map(self.is_token, tokens))
            if tokens and (fresh or known):
                return self.clean(scope, query, cookie if fresh else "", secure=scheme == "https")
        return None if known else _forbidden()

    def is_token(self, text: str) -> bool:
        """Whether it is the token, in a time that does not depend on how much of it is right."""
        return hmac.compare_digest(text.encode("utf-8", "surrogatepass"), self.token.encode())

    def clean(self, scope: Scope, query: str, cookie: str, *, secure: bool) -> Response:
        """Lead on to the same address without the token, and set the cookie of that name, if it has one."""
        # Several slashes at the start would make what follows them another host.
        path = "/" + scope.get("raw_path", scope["path"].encode()).decode("latin-1").lstrip("/\\")
        answer = Response(
            status_code=303, headers={"Location": path + (f"?{query}" if query else ""), "Cache-Control": "no-store"}
        )
        if cookie:
            answer.set_cookie(
                cookie,
                self.token,
                max_age=COOKIE_SECONDS,
                path=f"/{quote(self.base, safe=_UNQUOTED)}",
                httponly=True,
                samesite="strict",
                secure=secure,
            )
        return answer


def is_host(host: str, allowed: Iterable[str]) -> bool:
    """Whether a Host header, its port aside, names one of the allowed hosts: names, `*.NAME` for all below one, `*` for all.

    >>> is_host("LOCALHOST:9000", ["localhost"]), is_host("a.lab.org", ["*.lab.org"]), is_host("localhost.org", ["localhost"])
    (True, True, False)
    """
    try:
        parts = urlsplit(f"//{host}")
        name = (parts.hostname or "").rstrip(".")
        if not name or parts.netloc != host or "@" in host or parts.port == 0:
            return False
    except ValueError:  # a port that is not a number, or brackets that hold no address
        return False
    patterns = [pattern.strip().lower().rstrip(".") for pattern in allowed]
    return any(pattern in ("*", name) or (pattern[:2] == "*." and name.endswith(pattern[1:])) for pattern in patterns)


def cookie_name(host: str, scheme: str, base: str = "") -> str:
    """The name of the cookie, with the port that the browser sees and the path at which the app is served: cookies are not kept
    apart by port, and another app of this machine, behind another tunnel or the same proxy, must not overwrite it.

    >>> cookie_name("localhost:9000", "http"), cookie_name("[::1]", "https", "lab/a")
    ('workbench_token_9000', 'workbench_token_443_lab%2Fa')
    """
    port = urlsplit(f"//{host}").port or _PORTS.get(scheme, 80)
    return f"workbench_token_{port}" + (f"_{quote(base, safe='')}" if base else "")


def _cookies(headers: Headers, name: str) -> Iterator[str]:
    """All values that a request has for a cookie: another port may have set one of the same name, which stands before ours."""
    for part in ";".join(headers.getlist("cookie")).split(";"):
        key, _, value = part.strip().partition("=")
        if key == name:
            yield value


def without_token(query: str) -> tuple[str, list[str]]:
    """A query as it was written, without its tokens; and those.

    >>> without_token("set=a%3D7&token=xyz&seed=5")
    ('set=a%3D7&seed=5', ['xyz'])
    """
    parts = [(part, *part.partition("=")[::2]) for part in query.split("&")]
    kept = [part for part, key, _ in parts if unquote_plus(key) != "token"]
    return "&".join(kept), [unquote_plus(value) for _, key, value in parts if unquote_plus(key) == "token"]


def _plain(text: str) -> Response:
    return PlainTextResponse(text + "\n", 403, {"Cache-Control": "no-store"})


def _forbidden() -> Response:
    """The page for whoever has no token; it says nothing of what the app holds."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": policy}
    return HTMLResponse(_FORBIDDEN.read_text(encoding="utf-8"), 403, headers)


def options(get_option: Callable[[str], Any]) -> dict[str, Any]:
    """What `st.App` takes besides the page: the gate, `page_scripts` behind it with what is loaded later, and the line that is
    printed when the app starts. `get_option` reads Streamlit's configuration.

    Exits with one line where the runs folder or a variable of the environment cannot be used.
    """
    os.umask(private.UMASK)  # uploads, requests and archives: all that this process writes
    try:
        folder = runs_folder()
        key = token(folder)
    except WorkbenchError as error:
        sys.exit(str(error))
    hosts, base = get_option("server.allowedHosts") or LOOPBACK, _base(get_option)

    @asynccontextmanager
    async def announced(_: object) -> AsyncIterator[None]:
        address = address_of(get_option)
        if key:
            print(f"\n  The workbench is at  {address}/?token={key}\n")
            print(f"  Whoever has this address can use it. For a new one, remove {path_of(folder)} and start again.\n")
        else:
            print(f"\n  The workbench is at  {address}\n")
            print("  No token is asked for: every account of this machine can use it, and read what it can read.\n")
        sys.stdout.flush()
        yield

    life: Callable[[Any], AbstractAsyncContextManager[None]] = announced
    return {
        "middleware": [Middleware(Gate, token=key, hosts=hosts, base=base), Middleware(PageScripts)],
        "routes": [loaded_later(base)],
        "lifespan": life,
    }


def address_of(get_option: Callable[[str], Any]) -> str:
    """The address of the app for a browser on its machine, under a host name that it answers to, without a slash at its end."""
    host = get_option("server.address") or "localhost"
    host = "localhost" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    hosts = get_option("server.allowedHosts") or LOOPBACK
    if not is_host(host, hosts):
        host = next((name for name in hosts if "*" not in name), host)
    scheme = "https" if get_option("server.sslCertFile") else "http"
    base = _base(get_option)
    return f"{scheme}://{host}:{get_option('server.port')}" + (f"/{base}" if base else "")


def _base(get_option: Callable[[str], Any]) -> str:
    return str(get_option("server.baseUrlPath") or "").strip("/")


def is_installed() -> bool:
    """Whether what this process serves goes through a gate."""
    return bool(_gates)
