"""The scripts in the page: what gets them, and what passes unchanged."""

import asyncio
import re
from pathlib import Path

import pytest
import streamlit

from workbench.page_scripts import PageScripts, loaded_later

PAGE = [b"<html><head><title>T</title>", b"</head><body>", "</head> é</body></html>".encode()]


def ask(*, accept="text/html,*/*;q=0.8", kind="text/html; charset=utf-8", method="GET", encoding=None, socket=False):
    """What the app was asked and what came back: headers that it got, start, body."""
    got, sent = {}, []

    async def tiny(scope, _receive, send):
        got.update(scope.get("headers", ()))
        headers = [
            (b"content-type", kind.encode()),
            (b"etag", b'"old"'),
            (b"content-length", b"%d" % len(b"".join(PAGE))),
        ]
        headers += [(b"content-encoding", encoding.encode())] if encoding else []
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        parts = PAGE if method == "GET" else [b""]
        for number, part in enumerate(parts, 1):
            await send({"type": "http.response.body", "body": part, "more_body": number < len(parts)})

    async def send(message):
        sent.append(message)

    headers = [(b"accept", accept.encode()), (b"accept-encoding", b"gzip"), (b"if-none-match", b'"old"')]
    scope = {"type": "websocket" if socket else "http", "method": method, "headers": headers}
    asyncio.run(PageScripts(tiny)(scope, None, send))
    return got, dict(sent[0]["headers"]), b"".join(message.get("body", b"") for message in sent[1:])


def test_a_page_gets_the_scripts_at_the_end_of_its_head_and_is_not_mistaken_for_an_older_one():
    asked, headers, body = ask()
    head, link, rest = body.partition(b"<link")
    added, _, rest = (link + rest).rpartition(b"</script>")
    assert head == PAGE[0] and rest == PAGE[1] + PAGE[2], "once, and nothing else changes"
    assert added.count(b"<script>") == 9 and b"toImageButtonOptions" in added
    assert b"pushState" in added and b"tabindex" in added
    assert int(headers[b"content-length"]) == len(body) and b"etag" not in headers
    assert b"accept-encoding" not in asked and b"if-none-match" not in asked


def test_a_page_names_the_one_file_that_draws_figures_and_streamlit_has_it():
    [name] = re.findall(
        rb'<link rel="modulepreload" crossorigin href="\./static/js/(PlotlyChart\.[^"]+\.js)">', ask()[2]
    )
    files = Path(streamlit.__file__).parent / "static" / "static" / "js"
    assert (files / name.decode()).stat().st_size > 1_000_000


@pytest.mark.parametrize(("base", "path"), [("", "/tables.js"), ("lab/bench", "/lab/bench/tables.js")])
def test_what_is_loaded_later_is_beside_the_pages(base, path):
    assert loaded_later(base).path == path


@pytest.mark.parametrize(
    "other", [{"accept": "*/*"}, {"kind": "text/javascript"}, {"encoding": "gzip"}, {"socket": True}], ids=str
)
def test_what_is_not_a_page_passes_unchanged(other):
    _, headers, body = ask(**other)
    assert body == b"".join(PAGE) and headers[b"etag"] == b'"old"'


def test_asked_for_the_head_alone_there_is_no_body_and_no_length():
    _, headers, body = ask(method="HEAD")
    assert body == b""
    assert b"content-length" not in headers
