"""A user of the app without a browser: one real WebSocket session that does what Streamlit's frontend does.

It asks for a page as the frontend does when it is opened, keeps the tree of elements that the server sends, and lets
fragments run again when the server has asked for that (`AutoRerun`), so that answers that come later are seen as a browser
sees them. Not done: drawing, and sending back what widgets begin with.
"""

import asyncio
import re
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlencode, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

STILL = "still"
"""The type of the line that says what goes on below something that can be read already."""
WAITING = ("skeleton", "progress", STILL)
"""Elements that a page shows while it waits for something."""
_STILL = 'class="quiet still"'
_EARLY = ForwardMsg.FINISHED_EARLY_FOR_RERUN
_OVER = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


@dataclass
class Visit:
    """What one session saw of one page."""

    page: str
    seconds: float = 0.0
    """From connecting to the complete page."""
    complete: bool = False
    received_bytes: int = 0
    fragment_runs: int = 0
    """How often a fragment was asked to run again."""
    errors: list[str] = field(default_factory=list)
    """Exceptions shown on the page, and what broke the session."""
    shown: Counter[str] = field(default_factory=Counter)
    """How many elements of each type the complete page has."""


@dataclass(frozen=True)
class Node:
    """An element or block of the page."""

    type: str
    run: str
    fragment: str
    text: str = ""


class Page:
    """The tree of elements, as the frontend keeps it: by path, with the run and the fragment that drew each."""

    def __init__(self) -> None:
        self.nodes: dict[tuple[int, ...], Node] = {}
        self.run = ""
        self.fragments: tuple[str, ...] = ()

    def begin(self, run: str, fragments: tuple[str, ...]) -> None:
        """A run of the script, or of some of its fragments, begins."""
        self.run, self.fragments = run, fragments

    def place(self, message: ForwardMsg) -> None:
        """Put a message's element at its path. A block keeps its children until the run is over."""
        path, delta = tuple(message.metadata.delta_path), message.delta
        if delta.WhichOneof("type") == "new_transient":
            return
        if delta.HasField("add_block"):
            kind, text = f"block {delta.add_block.WhichOneof('type') or ''}".strip(), ""
        else:
            kind = delta.new_element.WhichOneof("type") or "empty"
            text = _exception(delta.new_element) if kind == "exception" else ""
            kind = STILL if kind == "html" and _STILL in delta.new_element.html.body else kind
            for below in [other for other in self.nodes if len(other) > len(path) and other[: len(path)] == path]:
                del self.nodes[below]
        self.nodes[path] = Node(kind, self.run, delta.fragment_id, text)

    def end(self) -> None:
        """Remove the elements that the finished run did not draw again."""

        def stale(node: Node) -> bool:
            return node.run != self.run and (not self.fragments or node.fragment in self.fragments)

        gone = [path for path, node in self.nodes.items() if stale(node)]
        self.nodes = {
            path: node for path, node in self.nodes.items() if not any(path[: len(other)] == other for other in gone)
        }

    def types(self) -> Counter[str]:
        """How many elements of each type there are; blocks are not counted."""
        return Counter(node.type for node in self.nodes.values() if not node.type.startswith(("block", "empty")))

    def errors(self) -> list[str]:
        """The exceptions shown."""
        return [node.text for node in self.nodes.values() if node.type == "exception"]


def _exception(element: Any) -> str:
    said = element.exception
    return f"{said.type}: {said.message}\n" + "\n".join(said.stack_trace)[-1500:]


class Door:
    """Access to the app: its address without the token, and the cookies set when it was opened."""

    def __init__(self, address: str) -> None:
        cookies = CookieJar()
        with urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies)).open(address, timeout=60) as page:
            page.read()
        parts = urlsplit(address)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.stream = re.sub("^http", "ws", self.origin) + "/_stcore/stream"
        self.cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in cookies)


async def visit(door: Door, page: str, *, query: dict[str, str] | None = None, limit_seconds: float = 180) -> Visit:
    """Open a page in a new session and stay until it is complete: the script has ended and nothing is pending."""
    seen = Visit(page)
    began = time.perf_counter()
    try:
        async with asyncio.timeout(limit_seconds):
            await _stay(door, page, urlencode(query or {}), seen, began)
    except TimeoutError:
        seen.errors.append(f"{page} was not complete after {limit_seconds:g} s: {dict(seen.shown)}")
    except Exception as error:  # a session that fails is a result and must not end the others
        seen.errors.append(f"{type(error).__name__}: {error}")
    seen.seconds = seen.seconds or time.perf_counter() - began
    return seen


async def _stay(door: Door, page: str, query: str, seen: Visit, began: float) -> None:
    tree, timers, cached = Page(), {}, {}
    headers = {"Cookie": door.cookies} if door.cookies else {}
    # Browsers offer to compress; the app does not take it up.
    async with connect(
        door.stream,
        origin=door.origin,  # type: ignore[arg-type]
        additional_headers=headers,
        subprotocols=["streamlit"],  # type: ignore[list-item]
        max_size=None,
        open_timeout=None,
        ping_interval=None,
        close_timeout=1,
    ) as socket:
        script = ""

        async def ask(fragment: str = "") -> None:
            message = BackMsg()
            rerun = message.rerun_script
            rerun.query_string, rerun.page_script_hash, rerun.fragment_id = query, script, fragment
            rerun.page_name = "" if script else page
            rerun.is_auto_rerun = bool(fragment)
            rerun.cached_message_hashes.extend(cached)
            about = rerun.context_info
            about.timezone, about.locale, about.color_scheme = "UTC", "en-GB", "light"
            about.url = f"{door.origin}/{page}"
            await socket.send(message.SerializeToString())

        async def again(fragment: str, seconds: float) -> None:
            while True:
                await asyncio.sleep(seconds)
                seen.fragment_runs += 1
                await ask(fragment)

        def drop(fragments: list[str]) -> None:
            for fragment in fragments:
                if fragment in timers:
                    timers.pop(fragment)[1].cancel()

        await ask()
        try:
            async for raw in socket:
                seen.received_bytes += len(raw)
                message = ForwardMsg.FromString(raw)  # type: ignore[arg-type]
                kind = message.WhichOneof("type")
                if kind == "ref_hash":
                    metadata, message = message.metadata, ForwardMsg.FromString(cached[message.ref_hash])
                    message.metadata.CopyFrom(metadata)
                    kind = message.WhichOneof("type")
                elif message.metadata.cacheable:
                    cached[message.hash] = raw
                if kind == "new_session":
                    run = message.metadata.run
                    tree.begin(run.script_run_id, tuple(run.fragment_ids))
                    script = script or message.new_session.page_script_hash
                    if not run.fragment_ids:
                        drop(list(timers))
                elif kind == "navigation":
                    script = message.navigation.page_script_hash
                elif kind == "delta":
                    tree.place(message)
                elif kind == "auto_rerun":
                    fragment, interval = message.auto_rerun.fragment_id, message.auto_rerun.interval
                    if timers.get(fragment, (0,))[0] != interval:
                        drop([fragment])
                        timers[fragment] = (interval, asyncio.create_task(again(fragment, interval)))
                elif kind == "stop_auto_rerun":
                    drop(list(message.stop_auto_rerun.fragment_ids))
                elif kind == "script_finished" and message.script_finished != _EARLY:
                    tree.end()
                    seen.shown = tree.types()
                    if message.script_finished not in _OVER or tree.errors():
                        seen.errors += tree.errors() or ["the script could not be compiled"]
                        return
                    if not any(seen.shown[name] for name in WAITING):
                        # Close here, because a busy server may take seconds to confirm it.
                        seen.seconds, seen.complete = time.perf_counter() - began, True
                        return
        finally:
            drop(list(timers))
    raise ConnectionError("the server closed the session")
